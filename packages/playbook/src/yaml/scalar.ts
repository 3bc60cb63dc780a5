import type { ScalarNode, ScalarValue, Segment, Span } from './node.ts';

/** The offset of a text that stands in the file as it is, or pairs of an offset in the text and one in the file. */
type Places = number | Int32Array;

/** A scalar as it was read. Its segments are made when they are asked for: hardly anything but a template is. */
export class Scalar implements ScalarNode {
  readonly kind = 'scalar';
  readonly span: Span;
  readonly value: ScalarValue;
  readonly style: ScalarNode['style'];
  private places: Places | readonly Segment[];

  constructor(span: Span, value: ScalarValue, style: ScalarNode['style'], places: Places) {
    this.span = span;
    this.value = value;
    this.style = style;
    this.places = places;
  }

  get segments(): readonly Segment[] {
    if (typeof this.places === 'number') return [{ value: 0, source: this.places }];
    if (this.places instanceof Int32Array) this.places = segmentsOf(this.places);
    return this.places;
  }
}

function segmentsOf(places: Int32Array): readonly Segment[] {
  const segments: Segment[] = [];
  for (let i = 0; i < places.length; i += 2) segments.push({ value: places[i] ?? 0, source: places[i + 1] ?? 0 });
  return segments;
}
