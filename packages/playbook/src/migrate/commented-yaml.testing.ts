type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** YAML with comments, blank lines and different ways of writing strewn in; each `die` of 0 to 99 decides one of them. */
export function commentedYaml(document: { readonly [key: string]: Value }, dice: readonly number[]): string {
  let thrown = 0;
  let comments = 0;
  const chance = (percent: number): boolean => (dice[thrown++ % dice.length] ?? 0) < percent;
  const comment = (): string => `# c${++comments}`;

  function lines(value: Value, indent: string): string[] {
    if (isList(value)) return value.flatMap((item) => [...above(indent), ...itemLines(item, indent)]);
    if (!isMap(value)) return [`${indent}${scalar(value)}`];
    return Object.entries(value).flatMap(([key, part]) => [...above(indent), ...entryLines(key, part, indent)]);
  }

  const above = (indent: string): string[] => [
    ...(chance(6) ? [''] : []),
    ...(chance(12) ? [`${indent}${comment()}`] : []),
  ];
  const behind = (): string => (chance(12) ? ` ${comment()}` : '');

  function entryLines(key: string, value: Value, indent: string): string[] {
    if (typeof value === 'string' && value.includes('\n')) return block(key, value, indent);
    if (!isList(value) && !isMap(value)) return [`${indent}${key}: ${scalar(value)}${behind()}`];
    if (isFlat(value) && chance(40)) return [`${indent}${key}: ${flow(value)}${behind()}`];
    if (Object.keys(value).length === 0) return [`${indent}${key}: ${flow(value)}${behind()}`];
    const deeper = isList(value) && chance(30) ? indent : `${indent}  `;
    return [`${indent}${key}:${behind()}`, ...lines(value, deeper)];
  }

  function itemLines(value: Value, indent: string): string[] {
    if (isFlat(value) && chance(30)) return [`${indent}- ${flow(value)}${behind()}`];
    const [first = '', ...rest] = lines(value, `${indent}  `).filter((line, i) => i > 0 || line.trim() !== '');
    // A comment cannot stand between the dash and the first key.
    if (first.trimStart().startsWith('#')) return [`${indent}-`, first, ...rest];
    return [`${indent}- ${first.trimStart()}`, ...rest];
  }

  const block = (key: string, text: string, indent: string): string[] => [
    `${indent}${key}: ${text.endsWith('\n') ? '|' : '|-'}${behind()}`,
    ...text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${indent}  ${line}`),
  ];

  function scalar(value: Value): string {
    if (typeof value !== 'string') return String(value);
    if (/^[a-z][\w./]*$/i.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)) return value;
    return chance(50) && !value.includes("'") ? `'${value}'` : JSON.stringify(value);
  }

  const flow = (value: Value): string =>
    isList(value)
      ? `[${value.map(flow).join(', ')}]`
      : isMap(value)
        ? `{${Object.entries(value)
            .map(([key, part]) => ` ${key}: ${flow(part)}`)
            .join(',')} }`
        : scalar(value);

  return `${lines(document, '').join('\n')}\n`;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isMap = (value: Value): value is { readonly [key: string]: Value } =>
  typeof value === 'object' && value !== null && !isList(value);
/** What fits on a line. */
const isFlat = (value: Value): boolean =>
  (isList(value) || isMap(value)) && !JSON.stringify(value).includes('\\n') && JSON.stringify(value).length < 120;
