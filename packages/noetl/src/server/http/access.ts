import type { Caller } from './permissions.ts';

/** Who a request comes from, by its `Authorization` header; or why nobody knows. */
export interface Access {
  callerOf(authorization: string | undefined): Promise<Caller | RefusedCaller>;
}

export interface RefusedCaller {
  readonly refused: string;
  /** Whose token it was, where that is known. */
  readonly name?: string;
}

/** Who can read the data folder, and so the token that its server left there: a command of the same machine. */
export const FOLDER_OWNER: Caller = {
  name: 'the owner of the folder',
  role: 'admin',
  prefix: '',
  local: true,
  isToken: false,
};

/** Everyone who reaches the server may do everything: on this machine alone, as long as there are no tokens (SEC-4). */
export const ANYONE_HERE: Caller = {
  name: 'anyone on this machine',
  role: 'admin',
  prefix: '',
  local: false,
  isToken: false,
};
