/** Longer texts are appended as they are, shorter ones unit by unit. */
const SHORT = 32;
/** Units that are put together at once; String.fromCharCode takes them as arguments, whose number is limited. */
const MAX_UNITS = 4_096;

/**
 * Builds the text of a scalar together with where its characters stand. A hostile file has half a million escapes: they
 * are collected as numbers, because as many small strings and objects would take ten times as long.
 */
export class ScalarText {
  private text = '';
  private units: number[] = [];
  /** Pairs of an offset in the text and where it stands in the file. */
  private places = new Int32Array(8);
  private placed = 0;
  private length = 0;
  private nextSource = -1;

  /** Appends `text`, which stands at `source` in the file. */
  add(text: string, source: number): void {
    if (source !== this.nextSource) this.place(source);
    this.append(text);
    this.nextSource = source + text.length;
  }

  /** Appends text that is written differently in the file. */
  addEscaped(text: string, source: number): void {
    this.place(source);
    this.append(text);
    this.nextSource = -1;
  }

  /** Appends one UTF-16 unit that is written as an escape. */
  addUnit(unit: number, source: number): void {
    this.place(source);
    this.appendUnit(unit);
    this.length++;
    this.nextSource = -1;
  }

  private append(text: string): void {
    this.length += text.length;
    if (text.length <= SHORT) {
      for (let i = 0; i < text.length; i++) this.appendUnit(text.charCodeAt(i));
    } else {
      this.flush();
      this.text += text;
    }
  }

  private appendUnit(unit: number): void {
    if (this.units.push(unit) === MAX_UNITS) this.flush();
  }

  private flush(): void {
    if (this.units.length === 0) return;
    this.text += String.fromCharCode(...this.units);
    this.units = [];
  }

  private place(source: number): void {
    if (this.placed === this.places.length) {
      const larger = new Int32Array(2 * this.placed);
      larger.set(this.places);
      this.places = larger;
    }
    this.places[this.placed++] = this.length;
    this.places[this.placed++] = source;
  }

  finish(): { readonly text: string; readonly places: Int32Array } {
    this.flush();
    return { text: this.text, places: this.places.subarray(0, this.placed) };
  }
}
