import { timestampOf } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import type { CredentialEntry } from '../api/credentials.ts';
import { KeyProblem } from '../secrets/key-problem.ts';
import { checkedCredential, STORED_KINDS } from '../secrets/stored-kinds.ts';
import { Problem } from '../server/http/problem.ts';
import type { CredentialWork } from '../server/routes/credentials.ts';
import { credentialStoreOf } from './credential-store.ts';
import type { DataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';

/** The credentials of a folder, for requests. */
export function credentialWork(data: DataFolder, machine: Machine, now: () => number): CredentialWork {
  const { secrets } = data.store;
  return {
    secrets,
    setCredential: (name, kind, value) =>
      withKey(async () => {
        const known = Object.hasOwn(STORED_KINDS, kind) ? STORED_KINDS[kind] : undefined;
        if (known === undefined) {
          const expected = `expected ${Object.keys(STORED_KINDS).join(', ')}`;
          throw new Problem('NOETL_API_REQUEST', `body.kind: there is no such kind, ${expected}.`);
        }
        const checked = checkedCredential(known, value);
        if ('problem' in checked) {
          throw new Problem('NOETL_API_REQUEST', `body.value: the credential '${name}' (${kind}) ${checked.problem}`);
        }
        const at = now();
        await credentialStoreOf(data, machine).set(name, kind, checked.value, at);
        return { name, kind, fields: fieldsOf(checked.value), set_at: timestampOf(at) };
      }),
    async removeCredentials(names) {
      const known = (await secrets.list()).map(({ name }) => name);
      const unknown = names.find((name) => !known.includes(name));
      if (unknown === undefined) return secrets.remove([...new Set(names)]);
      const near = didYouMean(unknown, known) ?? 'GET /api/credentials shows what is there.';
      throw new Problem('NOETL_API_NOT_FOUND', `there is no credential '${unknown}'. ${near} Nothing was removed.`);
    },
    rotateCredentials: () => withKey(() => credentialStoreOf(data, machine).rotate()),
  };
}

const fieldsOf = (value: Json): CredentialEntry['fields'] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

async function withKey<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof KeyProblem ? new Problem('NOETL_API_REFUSED', error.message) : error;
  }
}
