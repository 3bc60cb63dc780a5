/** Why the master key, or what it opens, cannot be had: a whole sentence, with what to do. Never shows a key or a value. */
export class KeyProblem extends Error {}
