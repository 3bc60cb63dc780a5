import type { Instant } from '@noetl/engine';
import { type Dispatcher, request } from 'undici';
import { codeOf, Unresolved } from './unresolved.ts';

/** A client that may ask for tokens. */
export interface OAuth2Client {
  readonly token_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope?: string;
  readonly audience?: string;
}

export interface OAuth2Token {
  readonly token: string;
  /** Undefined if the issuer does not say. */
  readonly expiresAt: Instant | undefined;
}

/** Milliseconds for an answer. */
const PATIENCE = 30_000;

/** A token by client credentials (RFC 6749, 4.4). What the issuer says is told by its code only. */
export async function fetchToken(
  client: OAuth2Client,
  now: () => Instant,
  dispatcher?: Dispatcher,
): Promise<OAuth2Token> {
  const { token_url: address } = client;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new Unresolved("has a 'token_url' that is no address that begins with http:// or https://.");
  }
  const url = new URL(address);
  const asked = now();
  const inBody = await ask(url, client, 'body', dispatcher);
  // Issuers take the client's secret in the body, or only as basic authorization.
  const { status, answer } = isClientRefused(inBody) ? await ask(url, client, 'header', dispatcher) : inBody;
  const what = `gets its tokens from ${url.origin}${url.pathname}, which`;
  if (status !== 200 && status !== 201) {
    const passing = status === 429 || status >= 500;
    throw new Unresolved(`${what} answered ${status}${reasonIn(answer)}. ${adviceFor(status, answer)}`, { passing });
  }
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== 'string' || token === '') throw new Unresolved(`${what} answered without an access_token.`);
  const lifetime = Number(seconds);
  return { token, expiresAt: lifetime > 0 ? asked + lifetime * 1000 : undefined };
}

interface TokenAnswer {
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

async function ask(
  url: URL,
  client: OAuth2Client,
  place: 'body' | 'header',
  dispatcher: Dispatcher | undefined,
): Promise<TokenAnswer> {
  const { client_id: id, client_secret: secret, scope, audience } = client;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(place === 'body' ? { client_id: id, client_secret: secret } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  });
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(place === 'header' ? { authorization: `Basic ${basic}` } : {}),
  };
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const sent = { method: 'POST', headers, body: body.toString(), signal } as const;
    const response = await request(url, dispatcher === undefined ? sent : { ...sent, dispatcher });
    const answer: unknown = await response.body.json().catch(() => undefined);
    const isMap = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
    return { status: response.statusCode, answer: isMap ? (answer as TokenAnswer['answer']) : {} };
  } catch (error) {
    if (error instanceof Error && codeOf(error) === 'FORBIDDEN_ADDRESS') {
      throw new Unresolved(`may not get its tokens from ${error.message}`, { cause: error });
    }
    const message = `gets its tokens from ${url.origin}${url.pathname}, which cannot be reached (${codeOf(error)}).`;
    throw new Unresolved(message, { cause: error, passing: true });
  }
}

const isClientRefused = ({ status, answer }: TokenAnswer): boolean =>
  status === 401 || (status === 400 && answer.error === 'invalid_client');

/** The codes of RFC 6749, 5.2 look like this; anything else might be anything. */
const reasonIn = ({ error }: TokenAnswer['answer']): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';

function adviceFor(status: number, { error }: TokenAnswer['answer']): string {
  if (status === 401 || error === 'invalid_client') return 'Are client_id and client_secret right?';
  if (error === 'invalid_scope') return 'Is the scope right?';
  return status === 404 ? 'Is token_url right?' : 'Try again later, or ask who runs it.';
}
