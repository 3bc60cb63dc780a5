import { jsonSize } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { holdsOnlyFinite, parseExactJson } from '../exact-json.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { parseJson, parseJsonObject } from './scope-file.ts';
import type { Terminal } from './terminal.ts';

/** SPEC §9: bytes of a request. */
const REQUEST_LIMIT = 4 * 1024 * 1024;

/** The payload of a request: `--payload` JSON, a file by `@file`, or `-`; over it each `--set a.b=1`. */
export async function readPayload(
  payload: string | undefined,
  sets: readonly string[],
  terminal: Terminal,
): Promise<JsonMap> {
  const rule = 'a payload is a JSON object such as {"city": "Bern"}';
  const base = payload === undefined ? {} : parseJsonObject(...(await payloadText(payload, terminal)), rule);
  return withinLimit(withSettings(base as JsonMap, '--set', sets));
}

/** The payload of a signal: any JSON, as text, in a file by `@file`, or `-`; null if none is given. */
export async function readSignalPayload(payload: string | undefined, terminal: Terminal): Promise<Json> {
  if (payload === undefined) return null;
  return withinLimit(parseJson(...(await payloadText(payload, terminal))) as Json);
}

function withinLimit<T extends Json>(payload: T): T {
  const size = jsonSize(payload);
  if (size <= REQUEST_LIMIT) return finite(payload);
  throw new CommandFailure(
    EXIT.usage,
    `error: the payload has ${size} bytes, the limit is ${REQUEST_LIMIT}. Pass a file's name or URL instead.`,
  );
}

/** TPL-8: what JSON cannot write back is refused where it comes in. */
function finite<T extends Json>(value: T): T {
  if (holdsOnlyFinite(value)) return value;
  throw new CommandFailure(
    EXIT.usage,
    'error: the values hold a number that is too large for JSON, such as 1e400. Pass it as text: "1e400".',
  );
}

async function payloadText(payload: string, terminal: Terminal): Promise<readonly [text: string, source: string]> {
  if (payload !== '-' && !payload.startsWith('@')) return [payload, '--payload'];
  const file = payload === '-' ? '-' : payload.slice(1);
  try {
    return [await terminal.read(file), file === '-' ? 'standard input' : file];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `error: cannot read the payload: ${reason}`, { cause: error });
  }
}

/** `a.b=1`, as often as the option was given: the value is JSON where it is JSON, else text. */
export function withSettings(base: JsonMap, option: '--set' | '--ctx', settings: readonly string[]): JsonMap {
  return settings.reduce((map, setting) => {
    const equals = setting.indexOf('=');
    const path = setting.slice(0, equals).split('.');
    if (equals < 1 || path.includes('')) {
      throw new CommandFailure(EXIT.usage, `error: ${option} ${setting}: write NAME=VALUE, or NAME.INNER=VALUE.`);
    }
    return withValue(map, path, finite(typed(setting.slice(equals + 1))));
  }, base);
}

function withValue(map: JsonMap, [key = '', ...rest]: readonly string[], value: Json): JsonMap {
  const inner = Object.hasOwn(map, key) ? map[key] : undefined;
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as JsonMap) : {};
  return { ...map, [key]: rest.length === 0 ? value : withValue(below, rest, value) };
}

function typed(text: string): Json {
  try {
    return parseExactJson(text) as Json;
  } catch {
    return text;
  }
}
