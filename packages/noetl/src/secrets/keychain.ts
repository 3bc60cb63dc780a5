import { type Instant, PlacedTemplateError, render, templateScope } from '@noetl/engine';
import type { Json, JsonMap, KeychainEntry } from '@noetl/playbook';
import { type EntryValue, entryValue, type KeychainSources } from './keychain-entry.ts';
import { redactor, type Secret } from './redactor.ts';
import { secretsIn } from './secrets-in.ts';
import { Unresolved } from './unresolved.ts';

/** What entries may read in their templates. */
export interface KeychainRequest {
  readonly workload: JsonMap;
  readonly execution_id: string;
  readonly job: JsonMap;
}

interface KeychainProblem {
  /** The entry that has no value. */
  readonly name: string;
  /** Never shows a value. */
  readonly message: string;
}

/** SEC-1: what a playbook declares, as far as it can be had, kept fresh as long as its execution runs. */
export interface Keychain {
  /** The values of entries by name. Another mapping whenever one has changed. */
  values(): JsonMap;
  /** Entries without a value, and why. */
  problems(): readonly KeychainProblem[];
  /** Every secret that any entry has had so far: a token that was renewed may still be in use. */
  secrets(): readonly Secret[];
  /** Whether an entry is due to be had anew. */
  isDue(now: Instant): boolean;
  /** Has entries anew that are due, or that have no value. One that cannot be had stays as long as it is good. */
  refresh(now: Instant): Promise<void>;
  /** Has a token anew that was refused; undefined if there is none to be had. Once for all who ask at the same time. */
  renew(name: string, refused: Json, now: Instant): Promise<Json | undefined>;
}

interface Held extends EntryValue {
  /** What its templates gave. */
  readonly fields: string;
  readonly renewAt: Instant;
}

/** After a failure nothing is asked again for so long, in milliseconds. */
const PAUSE = 5_000;
/** A token is renewed so long before it expires, or in the last fifth of its life if that is short. */
const AHEAD = 60_000;
/** Tokens of an entry that are remembered: older ones have long expired. */
const REMEMBERED = 16;

/** Resolves entries in their order, so that each may read those above it. */
export async function openKeychain(
  entries: readonly KeychainEntry[],
  request: KeychainRequest,
  sources: KeychainSources,
  now: Instant,
): Promise<Keychain> {
  const held = new Map<string, Held>();
  const failures = new Map<string, string>();
  const former = new Map<string, readonly Secret[]>();
  let values: JsonMap = {};
  let underWay: Promise<void> | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  async function resolveAll(at: Instant, refused?: string): Promise<void> {
    for (const entry of entries) {
      const { name } = entry;
      const before = held.get(name);
      try {
        const fields = fieldsOf(entry, currentValues(), request);
        const text = JSON.stringify(fields);
        const isGood = before !== undefined && before.fields === text && at < before.renewAt && name !== refused;
        if (!isGood) hold(name, { ...(await entryValue(entry, fields, sources)), fields: text }, at);
        failures.delete(name);
      } catch (error) {
        if (!(error instanceof Unresolved)) throw error;
        pausedUntil = at + PAUSE;
        // Who was refused has been told so; for others it may be good.
        if (before !== undefined && at < (before.expiresAt ?? Number.POSITIVE_INFINITY)) continue;
        held.delete(name);
        failures.set(name, `the keychain entry '${name}' ${error.message}`);
      }
    }
    values = currentValues();
  }

  const currentValues = (): JsonMap => Object.fromEntries([...held].map(([name, { value }]) => [name, value]));

  function hold(name: string, entry: Omit<Held, 'renewAt'>, at: Instant): void {
    const left = (entry.expiresAt ?? Number.POSITIVE_INFINITY) - at;
    held.set(name, { ...entry, renewAt: at + left - Math.min(AHEAD, left / 5) });
    const own = [...secretsIn(name, entry.value), ...secretsIn(name, entry.also ?? null)];
    const known = [...own, ...(former.get(name) ?? [])];
    const distinct = [...new Map(known.map((secret) => [secret.value, secret])).values()];
    former.set(name, entry.isToken === true ? distinct.slice(0, REMEMBERED) : distinct);
  }

  const isDue = (at: Instant): boolean =>
    at >= pausedUntil && (failures.size > 0 || [...held.values()].some(({ renewAt }) => at >= renewAt));

  function once(at: Instant, refused?: string): Promise<void> {
    underWay ??= resolveAll(at, refused).finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  await resolveAll(now);
  return {
    values: () => values,
    problems: () => {
      // What names a secret may be taken from an entry above.
      const { text } = redactor([...former.values()].flat());
      return [...failures].map(([name, message]) => ({ name, message: text(message) }));
    },
    secrets: () => [...former.values()].flat(),
    isDue,
    refresh: (at) => once(at),
    async renew(name, refused, at) {
      const entry = held.get(name);
      if (entry?.isToken !== true) return undefined;
      // Somebody else may have been refused before.
      if (!isEqual(entry.value, refused)) return entry.value;
      await underWay;
      if (isEqual(held.get(name)?.value ?? null, refused)) await once(at, name);
      const renewed = held.get(name)?.value;
      return renewed === undefined || isEqual(renewed, refused) ? undefined : renewed;
    },
  };
}

const isEqual = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);

function fieldsOf(
  { fields }: KeychainEntry,
  keychain: JsonMap,
  { workload, execution_id, job }: KeychainRequest,
): JsonMap {
  const scope = templateScope({ workload, ctx: {}, args: {}, results: {}, execution_id, job, keychain });
  try {
    return render(fields, scope, {}) as JsonMap;
  } catch (error) {
    // The message of the error might quote a value.
    if (!(error instanceof PlacedTemplateError)) throw error;
    const { cause, place } = error;
    throw new Unresolved(
      `has a template that fails (${cause.code} at ${place.line}:${place.column}); does it read an entry above that was resolved?`,
    );
  }
}
