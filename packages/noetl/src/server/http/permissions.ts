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

export const mayDo = (role: Role, permission: Permission): boolean => GRANTED[role].includes(permission);

/** Who calls. */
export interface Caller {
  /** What stands in the audit log. */
  readonly name: string;
  readonly role: Role;
  /** Playbooks whose path does not begin so are not there for this caller. */
  readonly prefix: string;
  /** Whether the caller can read the data folder: a command of the same machine. */
  readonly local: boolean;
}

/** A path belongs to a prefix that it is, or that ends before one of its slashes. */
export const isWithin = (path: string, prefix: string): boolean =>
  prefix === '' || path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
