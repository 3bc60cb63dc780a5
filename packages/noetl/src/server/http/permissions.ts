import type { Role } from './roles.ts';

/** What a route asks of who calls it. `public` asks for nothing. */
const PERMISSIONS = [
  'public',
  'read',
  'run',
  'register',
  'verify',
  'credentials',
  'workers',
  'tokens',
  'audit',
  'work',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const GRANTED: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['public', 'read'],
  runner: ['public', 'read', 'run'],
  author: ['public', 'read', 'run', 'register'],
  operator: ['public', 'read', 'run', 'register', 'verify', 'credentials', 'workers'],
  worker: ['public', 'work'],
  admin: PERMISSIONS,
};

/** What has to do with no path: a token that is bound to one has nothing to do there. */
const BEYOND_PATHS: ReadonlySet<Permission> = new Set(['credentials', 'workers', 'tokens', 'audit', 'work']);

export const mayDo = ({ role, prefix }: Pick<Caller, 'role' | 'prefix'>, permission: Permission): boolean =>
  GRANTED[role].includes(permission) && (prefix === '' || !BEYOND_PATHS.has(permission));

/** Whether a token of that role can be bound to a path: not if there is nothing that it does within one, or if it is for everything. */
export const canBeBound = (role: Role): boolean => role !== 'worker' && role !== 'admin';

/** Who calls. */
export interface Caller {
  /** What stands in the audit log. */
  readonly name: string;
  readonly role: Role;
  /** Playbooks whose path does not begin so are not there for this caller. */
  readonly prefix: string;
  /** Whether the caller can read the data folder: a command of the same machine. */
  readonly local: boolean;
  /** Whether it is known by a token that somebody made; the others are this machine itself. */
  readonly isToken: boolean;
}

/** A path belongs to a prefix that it is, or that ends before one of its slashes. */
export const isWithin = (path: string, prefix: string): boolean =>
  prefix === '' || path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
