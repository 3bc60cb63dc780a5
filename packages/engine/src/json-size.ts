import type { Json } from '@noetl/playbook';

/** The bytes of a value as JSON in UTF-8. */
export function jsonSize(value: Json): number {
  const text = JSON.stringify(value);
  let size = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes.
    size += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return size;
}
