import { KeySet } from './key-set.ts';
import type { MapEntry, Span, YamlNode } from './node.ts';
import { atMarker, readPlain, readQuoted, unquotedTemplate } from './read-scalar.ts';
import { COLON, DASH, END, isBlankOrEnd, type ReaderCore } from './reader-core.ts';

const SEPARATE = 'Separate entries by commas; quote text that holds one of []{},';

/** `[…]` and `{…}`, over as many lines as they need. */
export function readFlow(core: ReaderCore): YamlNode {
  return core.nested(() => (core.source[core.at] === '[' ? readFlowList(core) : readFlowMap(core)));
}

function readFlowList(core: ReaderCore): YamlNode {
  const start = core.at++;
  const items: YamlNode[] = [];
  for (;;) {
    skip(core, start);
    if (core.source[core.at] === ']') break;
    items.push(readFlowNode(core, start));
    skip(core, start);
    if (core.source[core.at] === ':') {
      throw core.fail(
        'NOETL_YAML_UNSUPPORTED',
        "a key and value inside of '[…]'",
        core.here(),
        'Write it as a mapping: [{ key: value }].',
      );
    }
    if (core.source[core.at] === ',') core.at++;
    else if (core.source[core.at] !== ']') throw core.error("expected ',' or ']'", core.here(), SEPARATE);
  }
  core.at++;
  core.countNodes();
  return { kind: 'list', span: { start, end: core.at }, items };
}

function readFlowMap(core: ReaderCore): YamlNode {
  const start = core.at++;
  if (core.source[core.at] === '{') {
    core.at = start;
    throw unquotedTemplate(core, start);
  }
  const entries: MapEntry[] = [];
  const keys = new KeySet(core, entries);
  for (;;) {
    skip(core, start);
    if (core.source[core.at] === '}') break;
    const { key, keySpan, quoted } = readFlowKey(core);
    const allowed = keys.add(key, keySpan);
    skip(core, start);
    const colon =
      core.code() === COLON &&
      (quoted || isBlankOrEnd(core.code(1)) || ',[]{}"\''.includes(core.source[core.at + 1] ?? ''));
    let value: YamlNode;
    if (colon) {
      core.at++;
      skip(core, start);
      const empty = core.source[core.at] === ',' || core.source[core.at] === '}';
      value = empty ? core.nullNode(core.at) : readFlowNode(core, start);
      skip(core, start);
    } else {
      value = core.nullNode(keySpan.end);
    }
    if (allowed) entries.push({ key, keySpan, value });
    if (core.source[core.at] === ',') core.at++;
    else if (core.source[core.at] !== '}') throw core.error("expected ',' or '}'", core.here(), SEPARATE);
  }
  core.at++;
  core.countNodes();
  return { kind: 'map', span: { start, end: core.at }, entries };
}

function readFlowKey(core: ReaderCore): { key: string; keySpan: Span; quoted: boolean } {
  const start = core.at;
  const first = core.source[core.at] ?? '';
  if (',[{#'.includes(first)) {
    throw first === '{' && core.source[core.at + 1] === '{'
      ? unquotedTemplate(core, start)
      : core.error(`expected a key, found '${first}'`, core.here(), 'Write { key: value }.');
  }
  refuseBlockItem(core);
  const quoted = first === '"' || first === "'";
  const node = quoted ? readQuoted(core, -1) : readPlain(core, -1, true);
  if (node.kind !== 'scalar') throw core.error('expected a key', core.here(), 'Write { key: value }.');
  const key = quoted ? String(node.value) : core.source.slice(node.span.start, node.span.end);
  return { key, keySpan: node.span, quoted };
}

function readFlowNode(core: ReaderCore, opened: number): YamlNode {
  const first = core.source[core.at] ?? '';
  switch (first) {
    case '[':
    case '{':
      return readFlow(core);
    case '"':
    case "'":
      return readQuoted(core, -1);
    case '&':
      return core.anchored(() => {
        skip(core, opened);
        const empty = ',]}'.includes(core.source[core.at] ?? '');
        return empty ? core.nullNode(core.at) : readFlowNode(core, opened);
      });
    case '*':
      return core.alias();
    case '!':
      throw core.fail('NOETL_YAML_UNSUPPORTED', 'tags are not supported', core.here(), 'Remove it, or quote the text.');
    case ',':
      throw core.error("unexpected ',': a value is missing", core.here(), 'Remove it, or write the value.');
    case '#':
    case '%':
    case '@':
    case '`':
    case '|':
    case '>':
      throw core.error(`text inside of brackets cannot start with '${first}'`, core.here(), 'Quote it.');
    default:
      refuseBlockItem(core);
      return readPlain(core, -1, true);
  }
}

function refuseBlockItem(core: ReaderCore): void {
  if (core.code() === DASH && (isBlankOrEnd(core.code(1)) || ',[]{}'.includes(core.source[core.at + 1] ?? ''))) {
    throw core.error("a '- ' item inside of brackets", core.here(), 'Separate items by commas, or quote the text.');
  }
}

/** Over blanks, line breaks and comments; an error at the end of the document. */
function skip(core: ReaderCore, opened: number): void {
  for (;;) {
    core.skipBlanks();
    if (core.atComment()) core.at = core.lineEnd();
    const code = core.code();
    if (code === END || atMarker(core)) {
      const bracket = core.source[opened];
      const hint = `Close it with ${bracket === '[' ? ']' : '}'}, or quote the text.`;
      throw core.error(`this '${bracket}' is never closed`, { start: opened, end: opened + 1 }, hint);
    }
    if (code !== 10 && code !== 13) return;
    core.at++;
  }
}
