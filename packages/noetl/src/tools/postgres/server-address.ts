import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import { isMap } from '../checked-fields.ts';

/** Where a database is, and who asks. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** As PostgreSQL's own clients understand it; `prefer` unless given. */
  readonly sslmode: string;
  /** The certificates to trust. */
  readonly rootCertificate: string | undefined;
  readonly applicationName: string;
}

/** What a credential or connection string must be like. */
export class AddressProblem extends Error {
  override name = 'AddressProblem';
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Reads a connection string, or a credential with its parts. Throws an AddressProblem, which never holds a value of it. */
export function serverAddress(credential: Json, folder: string): ServerAddress {
  const given = typeof credential === 'string' ? partsOf(credential) : isMap(credential) ? credential : undefined;
  if (given === undefined) throw new AddressProblem('is neither text nor a mapping');
  const parts = typeof given.dsn === 'string' ? { ...given, ...partsOf(given.dsn) } : given;
  const text = (...names: readonly string[]): string | undefined => {
    const value = names.map((name) => parts[name]).find((part) => part !== undefined && part !== null && part !== '');
    return value === undefined ? undefined : String(value);
  };
  const host = text('host', 'db_host', 'hostname');
  const port = Number(text('port', 'db_port') ?? 5432);
  const sslmode = text('sslmode') ?? 'prefer';
  if (host === undefined) throw new AddressProblem("has no 'host' and no 'dsn'");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new AddressProblem("has a 'port' that is none");
  if (!MODES.includes(sslmode)) throw new AddressProblem(`has an 'sslmode' that is none of ${MODES.join(', ')}`);
  const certificate = text('sslrootcert');
  return {
    host,
    port,
    user: text('user', 'username', 'db_user'),
    password: text('password', 'db_password'),
    database: text('database', 'dbname', 'db_name', 'db'),
    sslmode,
    rootCertificate: certificate === undefined ? undefined : certificateOf(certificate, folder),
    applicationName: text('application_name') ?? 'noetl',
  };
}

function certificateOf(given: string, folder: string): string {
  if (given.includes('-----BEGIN')) return given;
  try {
    return readFileSync(resolve(folder, given), 'utf8');
  } catch {
    throw new AddressProblem("has an 'sslrootcert' that cannot be read");
  }
}

function partsOf(dsn: string): JsonMap {
  if (/^postgres(?:ql)?(?:\+\w+)?:\/\//i.test(dsn)) return urlParts(dsn);
  const pairs = [...dsn.matchAll(/(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))/g)];
  if (pairs.length === 0) {
    throw new AddressProblem('is no connection string: postgresql://user:password@host:5432/database is expected');
  }
  return Object.fromEntries(
    pairs.map(([, name = '', quoted, plain = '']) => [name, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain]),
  );
}

function urlParts(dsn: string): JsonMap {
  const address = dsn.replace(/^[^:]+:/, 'http:');
  if (!URL.canParse(address)) {
    throw new AddressProblem('is no connection string: postgresql://user:password@host:5432/database is expected');
  }
  const url = new URL(address);
  // The port of http is left out of its addresses.
  const port =
    url.port !== '' ? url.port : /:80(?:\/|\?|$)/.test(address.slice(address.lastIndexOf('@') + 1)) ? '80' : '';
  return {
    ...Object.fromEntries(url.searchParams),
    ...(url.hostname === '' ? {} : { host: decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) }),
    ...(port === '' ? {} : { port }),
    ...(url.username === '' ? {} : { user: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
    ...(url.pathname.length > 1 ? { database: decoded(url.pathname.slice(1)) } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
