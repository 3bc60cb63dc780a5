import type { LookupFunction } from 'node:net';
import { type AddressRules, EMBEDDED_RULES } from './http/address-rules.ts';
import type { Guard } from './http/guarded-agent.ts';

/** What the machine lends to all tools; the command line fills it in. */
export interface ToolHost {
  /** The Node that runs JavaScript tasks. */
  readonly node: string;
  /** Sends a signal to a process, or to a whole group by its negative id; throws if there is none. */
  kill(pid: number, signal: NodeJS.Signals): void;
  readonly limits?: Partial<ToolLimits>;
  /** Which addresses tasks may connect to; those of embedded mode unless given. */
  readonly addresses?: AddressRules;
  /** The ports that this installation itself listens on, which tasks may not call. The set may grow later. */
  readonly ownPorts?: ReadonlySet<number>;
  /** How names become addresses; as the system does it unless given. */
  readonly lookup?: LookupFunction;
}

/** What one call may use. */
export interface ToolLimits {
  /** Bytes of an HTTP answer, unpacked. */
  readonly responseBytes: number;
  /** Bytes of an answer that memory holds; a larger one goes straight into the result store. */
  readonly heldBytes: number;
  /** Characters of the standard output of a program. */
  readonly outputCharacters: number;
  /** Bytes of the JSON that code gives as its result. */
  readonly resultBytes: number;
  /** Connections to one database as one user. */
  readonly connections: number;
  /** Bytes that code may print. */
  readonly logBytes: number;
  /** Bytes of memory for code. */
  readonly memoryBytes: number;
  /** Warm processes of one interpreter. */
  readonly processes: number;
  /** Calls after which a warm process is replaced. */
  readonly callsPerProcess: number;
}

const MIB = 1024 * 1024;

const DEFAULT_TOOL_LIMITS: ToolLimits = {
  responseBytes: 1024 * MIB,
  heldBytes: 8 * MIB,
  outputCharacters: 16 * MIB,
  resultBytes: 64 * MIB,
  connections: 20,
  logBytes: 10 * MIB,
  memoryBytes: 4096 * MIB,
  processes: 32,
  callsPerProcess: 10_000,
};

export const limitsOf = ({ limits }: ToolHost): ToolLimits => ({ ...DEFAULT_TOOL_LIMITS, ...limits });

export const guardOf = ({ addresses = EMBEDDED_RULES, ownPorts = new Set(), lookup }: ToolHost): Guard => ({
  rules: addresses,
  ownPorts,
  ...(lookup === undefined ? {} : { lookup }),
});
