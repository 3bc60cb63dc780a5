/** SEC-4. */
export const ROLES = ['viewer', 'runner', 'author', 'operator', 'worker', 'admin'] as const;
export type Role = (typeof ROLES)[number];
