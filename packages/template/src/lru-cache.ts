/**
 * Keeps at most `capacity` entries, and at least the half of it that was used last. There are two maps: when the first is
 * full, it becomes the second, and what the second held is forgotten. A strict order would take each entry out of its
 * map and put it in again at every use, and then look for the oldest among the holes: slower than compiling a template.
 */
export class LruCache<Key, Value> {
  private recent = new Map<Key, Value>();
  private older = new Map<Key, Value>();
  private readonly half: number;

  constructor(capacity: number) {
    this.half = Math.ceil(capacity / 2);
  }

  get(key: Key): Value | undefined {
    const recent = this.recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.recent.size >= this.half) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }
}
