import { sightings } from '../canary.testing.ts';
import { verifiedByCommand } from '../chaos/verification.ts';
import { openProgram } from '../program.testing.ts';
import { exchanged } from './exchange.ts';
import { type FuzzedServer, openFuzzedServer } from './fuzzed-server.ts';
import { generateRequest } from './generate.ts';
import { problemOf } from './judgement.ts';
import { nameOf } from './operations.ts';
import { promisesOf } from './promises.ts';

interface Finding {
  readonly index: number;
  readonly operation: string;
  readonly problem: string;
  /** How the request and the answer begin. */
  readonly request: string;
  readonly answer: string;
}

export interface FuzzResult {
  readonly requests: number;
  /** How many answers had which status; `none` where the server kept silent, as it may. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly operations: number;
  /** The operations that never answered well. */
  readonly unreached: readonly string[];
  readonly findings: readonly Finding[];
  /** What was wrong with the server afterwards. */
  readonly aftermath: readonly string[];
}

export interface Campaign {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  progress?(done: number, findings: number): void;
}

/** Requests under way at a time. */
const BESIDE = 12;
/** Pieces of work that are leased, with one more for every hundred requests: some give theirs back. */
const LEASED = 20;
const SHOWN = 600;
/** More findings than anyone reads. */
const MOST_FINDINGS = 50;

/** Sends requests to a server process of its own, and looks at each answer, and at the server afterwards. */
export async function runCampaign({ seed, first, count, progress }: Campaign): Promise<FuzzResult> {
  const program = openProgram();
  try {
    const server = await openFuzzedServer(program, LEASED + Math.floor(count / 100));
    const broken = promisesOf(server.target.operations);
    const statuses: Record<string, number> = {};
    const reached = new Set<string>();
    const findings: Finding[] = [];
    let next = first;
    let done = 0;
    const one = async (index: number): Promise<void> => {
      const request = generateRequest(server.target, seed, index);
      const answer = await exchanged(server.port, request);
      const status = String(answer.status ?? 'none');
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status.startsWith('2') && !request.elsewhere) reached.add(request.operation);
      const problem = problemOf(request, answer, server.secrets) ?? broken(request, answer);
      if (problem !== undefined) {
        const shown = { request: begun(request.bytes), answer: begun(answer.bytes) };
        findings.push({ index, operation: request.operation, problem, ...shown });
      }
      done++;
      if (done % 1_000 === 0) progress?.(done, findings.length);
    };
    const lane = async (): Promise<void> => {
      while (next < first + count && findings.length < MOST_FINDINGS) await one(next++);
    };
    const cut: string[] = [];
    await Promise.all(Array.from({ length: BESIDE }, lane)).catch((error: Error) => {
      cut.push(`the server could not be reached after ${done} requests: ${error.message}`);
    });
    const aftermath = [...cut, ...(await aftermathOf(server)), ...(await verifiedByCommand(program, server.data))];
    return {
      requests: done,
      statuses,
      operations: server.target.operations.length,
      unreached: server.target.operations.map(nameOf).filter((name) => !reached.has(name)),
      findings: findings.sort((a, b) => a.index - b.index),
      aftermath,
    };
  } finally {
    await program.close();
  }
}

async function aftermathOf(server: FuzzedServer): Promise<readonly string[]> {
  const { child, secrets } = server;
  const problems: string[] = [];
  if (child.exitCode !== null || child.signalCode !== null) problems.push('the server is gone');
  else if (!(await server.works().catch(() => false))) problems.push('a playbook does not end well any more');
  const code = await server.stop();
  if (code !== 0) problems.push(`the server ended with ${code}`);
  const output = server.output();
  if (/^ +at |^error: /m.test(output)) problems.push(`the server complained: ${output.slice(0, 2_000)}`);
  return [...problems, ...sightings(new Map([['the output of the server', Buffer.from(output)]]), secrets)];
}

const begun = (bytes: Buffer): string => JSON.stringify(bytes.subarray(0, SHOWN).toString('latin1'));
