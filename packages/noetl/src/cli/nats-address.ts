import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StoreProblem } from '../ports/result-store.ts';
import type { NatsAddress } from '../results/nats-connection.ts';
import type { Machine } from './machine.ts';

const PORT = '4222';

/** `NOETL_NATS_URL` and `NOETL_NATS_CREDENTIALS`; undefined where neither is set. A problem never holds a value of them. */
export function natsAddress({
  environment,
  workingFolder,
}: Pick<Machine, 'environment' | 'workingFolder'>): NatsAddress | StoreProblem | undefined {
  const { NOETL_NATS_URL: given = '', NOETL_NATS_CREDENTIALS: file = '' } = environment;
  const texts = given
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  if (!texts.every((text) => URL.canParse(text) && /^(?:nats|tls):\/\/./.test(text))) {
    return { problem: 'NOETL_NATS_URL is no address of NATS: nats://host:4222 is expected, or tls://host:4222.' };
  }
  const urls = texts.map((text) => new URL(text.replace(/^\w+:/, 'http:')));
  const named = urls.find(({ username }) => username !== '');
  const [user, password] = [named?.username ?? '', named?.password ?? ''].map(decodeURIComponent) as [string, string];
  const credentials = file === '' ? undefined : textIn(resolve(workingFolder, file));
  if (file !== '' && credentials === undefined) {
    return { problem: 'the file that NOETL_NATS_CREDENTIALS names cannot be read. Correct it, or unset it.' };
  }
  return {
    servers: urls.map(({ hostname, port }, nth) => `${hostname}:${port || portIn(texts[nth] ?? '')}`),
    tls: texts.some((text) => text.startsWith('tls:')),
    // One word alone is a token.
    ...(user === '' ? {} : password === '' ? { token: user } : { user, password }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

/** The port of http is left out of its addresses. */
const portIn = (text: string): string => (/:80\/?$/.test(text) ? '80' : PORT);

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
