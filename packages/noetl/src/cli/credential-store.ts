import { type CredentialStore, openCredentialStore } from '../secrets/credential-store.ts';
import type { DataFolder } from './data-folder.ts';
import { keySourceOf } from './key-source.ts';
import type { Machine } from './machine.ts';

/** The credentials of a data folder, with the master key that the environment gives. Throws a KeyProblem. */
export const credentialStoreOf = ({ store, folder }: DataFolder, machine: Machine): CredentialStore =>
  openCredentialStore(store.secrets, keySourceOf(folder, machine));
