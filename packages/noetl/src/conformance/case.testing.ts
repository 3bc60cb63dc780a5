import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineLimits, OutcomeError, RefusalCode } from '@noetl/engine';
import { type Json, type JsonMap, readPlaybook } from '@noetl/playbook';
import { parse } from 'yaml';

/**
 * A case of the specification: `conformance/<id>-<case>/` holds the playbook, what its tools answer and what is done from
 * outside (tools.yaml), and the exact events it must lead to (events.jsonl; fork.jsonl for those of its fork).
 */
export interface Case {
  readonly name: string;
  readonly script: Script;
  readonly playbook: NonNullable<ReturnType<typeof readPlaybook>['playbook']>;
  /** The playbook that a fork goes on with, where it was edited. */
  readonly editedPlaybook: Case['playbook'] | undefined;
  readonly expected: readonly ExpectedEvent[];
  readonly expectedFork: readonly ExpectedEvent[] | undefined;
}

/** An event with the fields that matter; those of the payload may stand beside those of the envelope. */
export type ExpectedEvent = JsonMap & { readonly name: string };

interface Script {
  /** The sentence that the case proves, word for word, and where it stands. */
  readonly sentence: string;
  readonly payload?: JsonMap;
  readonly limits?: Partial<EngineLimits>;
  /** How many pieces of work run at a time; 4 unless said. */
  readonly slots?: number;
  readonly tools?: readonly ToolScript[];
  readonly children?: Readonly<Record<string, ChildScript>>;
  readonly controls?: readonly ControlScript[];
}

/** What a tool answers; the first that fits the call. A noop that none fits gives its `result`. */
export interface ToolScript {
  readonly task?: string;
  readonly step?: string;
  readonly visit?: number;
  readonly attempt?: number;
  /** The index, or the indexes from the outermost loop on. */
  readonly iteration?: number | readonly number[];
  /** The number of the lease: 1, or more after a takeover. */
  readonly epoch?: number;
  readonly ok?: Json;
  readonly error?: Partial<OutcomeError>;
  /** A result of this many bytes. */
  readonly bytes?: number;
  readonly http?: Json;
  /** Virtual seconds until it answers. */
  readonly takes?: number;
  /** The worker is killed instead of answering. */
  readonly dies?: boolean;
}

export interface ChildScript {
  readonly ok?: Json;
  readonly error?: Partial<OutcomeError>;
  /** Virtual seconds until it is over; a child that takes no time is over at once. */
  readonly takes?: number;
}

/** Something done from outside, after an event or at a virtual second. */
export interface ControlScript {
  readonly after?: JsonMap;
  readonly at?: number;
  readonly do: 'pause' | 'resume' | 'cancel' | 'signal' | 'restart' | 'fork' | 'repeat-report';
  readonly name?: string;
  readonly payload?: Json;
  readonly by?: string;
  readonly reason?: string;
  /** The code it is refused with; it must not be refused unless said. */
  readonly refused?: RefusalCode;
  readonly edits?: { readonly workload?: JsonMap; readonly ctx?: JsonMap };
}

const FOLDER = fileURLToPath(new URL('../../../../conformance/', import.meta.url));

/** The names of all cases. */
export const CASES = readdirSync(FOLDER).filter((name) => /^[A-Z]+-\d+-/.test(name));

export function readCase(name: string): Case {
  const file = (path: string): string => readFileSync(join(FOLDER, name, path), 'utf8');
  const optional = (path: string): string | undefined => {
    try {
      return file(path);
    } catch {
      return undefined;
    }
  };
  const edited = optional('edited.yaml');
  const fork = optional('fork.jsonl');
  return {
    name,
    script: parse(file('tools.yaml')) as Script,
    playbook: readValid(file('playbook.yaml'), `${name}/playbook.yaml`),
    editedPlaybook: edited === undefined ? undefined : readValid(edited, `${name}/edited.yaml`),
    expected: readEvents(file('events.jsonl')),
    expectedFork: fork === undefined ? undefined : readEvents(fork),
  };
}

function readValid(text: string, file: string): Case['playbook'] {
  const { playbook, diagnostics } = readPlaybook(text, { file });
  if (playbook === undefined) throw new Error(`${file} is not valid: ${JSON.stringify(diagnostics, undefined, 2)}`);
  return playbook;
}

const readEvents = (text: string): readonly ExpectedEvent[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//'))
    .map((line) => JSON.parse(line) as ExpectedEvent);
