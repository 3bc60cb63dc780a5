import * as z from 'zod';

/** What is known of a credential: never its value (SEC-2). */
export const CredentialEntry = z.object({
  name: z.string(),
  kind: z.string(),
  fields: z.array(z.string()),
  set_at: z.string(),
});
export type CredentialEntry = z.infer<typeof CredentialEntry>;

export const CredentialSet = z.strictObject({
  kind: z.string().max(64),
  value: z.union([z.string().max(64 * 1024), z.record(z.string(), z.unknown())]),
});
export type CredentialSet = z.infer<typeof CredentialSet>;
