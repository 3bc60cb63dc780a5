import { hash } from 'node:crypto';

/** The hash of an event: of the hash before it (nothing for the first) and its JSON, as stored. */
export const chainHash = (before: string, text: string): string => hash('sha256', before + text, 'hex');
