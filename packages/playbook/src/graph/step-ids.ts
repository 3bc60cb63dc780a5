/** What boxes are called inside of a drawing. */
export interface StepIds {
  /** The id of a step; undefined if there is none of that name. */
  of(name: string): string | undefined;
  /** The mark before the first step. */
  readonly entry: string;
  /** The box of an `end` that the workflow does not define. */
  readonly end: string;
}

/** Words that mean something to Mermaid or DOT, in lower case, and names that every JavaScript object has. */
const RESERVED = new Set(
  (
    'accdescr acctitle call class classdef click default digraph direction edge end flowchart graph href interpolate ' +
    'linkstyle node strict style subgraph ' +
    '__proto__ constructor hasownproperty isprototypeof propertyisenumerable tolocalestring tostring valueof'
  ).split(' '),
);

/** Steps go by their names where a drawing can hold them, so that its text can be read; others get a number. */
export function stepIds(names: readonly string[]): StepIds {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  const take = (wanted: string): string => {
    let id = wanted;
    while (used.has(id)) id += '_';
    used.add(id);
    return id;
  };
  for (const name of names) if (isPlain(name)) ids.set(name, take(name));
  names.forEach((name, i) => {
    if (!ids.has(name)) ids.set(name, take(`step_${i + 1}`));
  });
  return { of: (name) => ids.get(name), entry: take('entry_point'), end: take('end_point') };
}

const isPlain = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) && !RESERVED.has(name.toLowerCase());
