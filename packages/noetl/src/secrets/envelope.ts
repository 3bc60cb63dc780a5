import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Json } from '@noetl/playbook';
import type { SealedCredential } from '../ports/secret-store.ts';

/** A key that keeps others: 256 bits, and the name it is known by. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export const KEY_BYTES = 32;

export const masterKey = (bytes: Uint8Array): MasterKey => ({ id: idOf(bytes), bytes });
export const newMasterKey = (): MasterKey => masterKey(randomBytes(KEY_BYTES));

/** Tells keys apart, and nothing about them: nobody finds 256 random bits by trying. */
const idOf = (bytes: Uint8Array): string =>
  createHash('sha256').update('noetl master key\0').update(bytes).digest('hex').slice(0, 16);

type Described = Omit<SealedCredential, 'sealed'>;

/**
 * SEC-2: a credential under a key of its own, and that key under the master key, both by AES-256-GCM and bound to the name
 * of the entry: one that stands under another name, or with another kind or other fields, cannot be opened.
 */
export function seal(entry: Described, value: Json, { id, bytes }: MasterKey): SealedCredential {
  const own = randomBytes(KEY_BYTES);
  const text = Buffer.from(JSON.stringify(value));
  return {
    ...entry,
    sealed: written({ key: id, own: wrap(own, bytes, entry), value: encrypt(text, own, about(entry)) }),
  };
}

/** Undefined if the entry was damaged, moved or changed, or sealed with another key. */
export function unseal(entry: SealedCredential, master: MasterKey): Json | undefined {
  const parts = read(entry.sealed);
  if (parts === undefined || parts.key !== master.id) return undefined;
  const own = decrypt(parts.own, master.bytes, aboutKey(entry));
  const text = own === undefined ? undefined : decrypt(parts.value, own, about(entry));
  return text === undefined ? undefined : JSON.parse(text.toString('utf8'));
}

/** The same entry under another master key: its own key is wrapped anew, its value is not touched. */
export function reseal(entry: SealedCredential, from: MasterKey, to: MasterKey): SealedCredential | undefined {
  const parts = read(entry.sealed);
  if (parts === undefined || parts.key !== from.id) return undefined;
  const own = decrypt(parts.own, from.bytes, aboutKey(entry));
  // An entry that is damaged now would only be found out when it is needed.
  if (own === undefined || decrypt(parts.value, own, about(entry)) === undefined) return undefined;
  return { ...entry, sealed: written({ ...parts, key: to.id, own: wrap(own, to.bytes, entry) }) };
}

/** The master key that an entry needs, if it is none that was damaged. */
export const keyOf = ({ sealed }: SealedCredential): string | undefined => read(sealed)?.key;

interface Parts {
  /** The master key. */
  readonly key: string;
  /** The key of the entry, wrapped. */
  readonly own: Buffer;
  readonly value: Buffer;
}

const FORM = 'noetl-sealed-1';
const written = ({ key, own, value }: Parts): string =>
  [FORM, key, own.toString('base64'), value.toString('base64')].join(' ');

function read(sealed: string): Parts | undefined {
  const [form, key, own, value, ...more] = sealed.split(' ');
  if (form !== FORM || key === undefined || own === undefined || value === undefined || more.length > 0) {
    return undefined;
  }
  return { key, own: Buffer.from(own, 'base64'), value: Buffer.from(value, 'base64') };
}

const wrap = (own: Uint8Array, master: Uint8Array, entry: Described): Buffer => encrypt(own, master, aboutKey(entry));
const aboutKey = ({ name }: Described): string => JSON.stringify(['noetl credential key', name]);
const about = ({ name, kind, fields }: Described): string => JSON.stringify(['noetl credential', name, kind, fields]);

const NONCE = 12;
const TAG = 16;
const CIPHER = 'aes-256-gcm';

function encrypt(plain: Uint8Array, key: Uint8Array, bound: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(bound));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

function decrypt(sealed: Buffer, key: Uint8Array, bound: string): Buffer | undefined {
  if (sealed.length < NONCE + TAG || key.length !== KEY_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(bound))
    .setAuthTag(sealed.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]);
  } catch {
    // The tag does not fit: whatever the reason, there is nothing that could be trusted.
    return undefined;
  }
}
