import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../ports/store-error.ts';
import { referenceTo } from '../../results/content.ts';
import { KeyProblem } from '../../secrets/key-problem.ts';
import { otlpJson } from '../../tracing/otlp-json.ts';
import { sendOtlp } from '../../tracing/otlp-sender.ts';
import { traceSettings } from '../../tracing/trace-settings.ts';
import { CommandFailure } from '../command-failure.ts';
import { credentialStoreOf } from '../credential-store.ts';
import { dataFolderPath, openDataFolder, RESULTS_FOLDER, STORE_FILE } from '../data-folder.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { httpAddresses } from '../http-addresses.ts';
import type { Machine } from '../machine.ts';
import { openResultStores, type ResultStores } from '../result-stores.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';
import { things } from '../views/quantity.ts';

export interface DoctorOptions {
  readonly data: string | undefined;
  readonly json: boolean;
}

/** What one look found. A warning says what will not work; an error, that nothing will. */
interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly found: string;
  readonly hint?: string;
}

const NODE = [20, 19] as const;
/** Free bytes below which somebody should be told. */
const SPACE = 512 * 1024 * 1024;

/** Looks whether this machine has what playbooks need. */
export async function doctor(options: DoctorOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const folder = dataFolderPath(options.data, machine);
  const findings: readonly Finding[] = [
    node(machine),
    program(
      'python3',
      ['--version'],
      'tasks of kind python',
      'Install Python 3 (Debian: apt install python3).',
      machine,
    ),
    program('sh', ['-c', 'echo works'], 'tasks of kind shell with cmds', 'Install a POSIX shell.', machine),
    network(machine),
    ...(await disk(folder, terminal)),
    await data(folder, terminal, machine),
    ...(await credentials(folder, terminal, machine)),
    ...(await resultStores(folder, machine)),
    ...(await traces(machine)),
  ];
  if (options.json) terminal.print(`${JSON.stringify(findings)}\n`);
  else for (const finding of findings) terminal.print(lineOf(finding));
  return findings.some(({ status }) => status === 'error') ? EXIT.failed : EXIT.ok;
}

/** Whether the stores of results that the environment names answer. */
async function resultStores(folder: string, machine: Machine): Promise<readonly Finding[]> {
  const { environment } = machine;
  const named = [
    ...(environment.NOETL_RESULTS_POSTGRES ? ['postgres'] : []),
    ...(environment.NOETL_NATS_URL ? ['nats_object'] : []),
  ];
  const stores = openResultStores(join(folder, RESULTS_FOLDER), machine);
  try {
    return await Promise.all(named.map((name) => resultStore(name, stores.results)));
  } finally {
    await stores.close();
  }
}

/** Whether the receiver of spans that the environment names takes any. */
async function traces({ environment }: Machine): Promise<readonly Finding[]> {
  const settings = traceSettings(environment);
  if (settings === undefined) return [];
  const check = 'traces';
  const hint = 'Executions go on without spans. Correct it, or unset it.';
  if ('problem' in settings) return [{ check, status: 'warning', found: settings.problem, hint }];
  const { target, warnings } = settings;
  const sent = await sendOtlp(otlpJson([], { resource: {}, version: '' }), target, new AbortController().signal);
  const place = `${target.url.origin}${target.url.pathname}`;
  const answer: Finding =
    sent.kind === 'taken'
      ? { check, status: 'ok', found: `${place} takes spans` }
      : { check, status: 'warning', found: `${place} takes no spans: ${sent.why}`, hint };
  return [answer, ...warnings.map((found) => ({ check, status: 'warning', found }) as const)];
}

async function resultStore(name: string, results: ResultStores['results']): Promise<Finding> {
  const check = 'results';
  const hint = 'Playbooks that keep results there cannot run. Correct it, or unset it.';
  const store = results.named(name);
  if ('problem' in store) return { check, status: 'warning', found: store.problem, hint };
  try {
    // Any key will do: what counts is the answer.
    await store.inspect(referenceTo(name, '0'.repeat(64), 0, ''));
    return { check, status: 'ok', found: `the store ${name} answers` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { check, status: 'warning', found: error.message, hint };
  }
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const;

const lineOf = ({ check, status, found, hint }: Finding): string =>
  `${MARKS[status]} ${check.padEnd(12)} ${found}\n${hint === undefined ? '' : `  ${' '.repeat(12)} ${hint}\n`}`;

function node({ node: path }: Machine): Finding {
  const { version } = process;
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const enough = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  const found = `Node ${version} at ${path}`;
  if (enough) return { check: 'node', status: 'ok', found };
  return { check: 'node', status: 'error', found, hint: `Install Node ${NODE.join('.')} or newer.` };
}

function program(
  name: string,
  args: readonly string[],
  needed: string,
  hint: string,
  { environment }: Machine,
): Finding {
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    env: environment,
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (status === 0) return { check: name, status: 'ok', found: (stdout || stderr).trim() };
  const why = error === undefined ? `ends with ${status ?? 'a signal'}` : 'is not there';
  return { check: name, status: 'warning', found: `${name} ${why}: ${needed} will fail`, hint };
}

/** What NOETL_HTTP_DENY and NOETL_HTTP_ALLOW make of the addresses that tasks may connect to. */
function network(machine: Machine): Finding {
  const check = 'http';
  try {
    httpAddresses(machine);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { check, status: 'error', found: error.message.replace(/^error: /, ''), hint: 'Correct it, or unset it.' };
  }
  const { NOETL_HTTP_DENY: deny, NOETL_HTTP_ALLOW: allow } = machine.environment;
  const refused = ['metadata and link-local addresses', ...(deny ? [deny] : [])].join(', ');
  return { check, status: 'ok', found: `tasks may not connect to ${refused}${allow ? `; but to ${allow}` : ''}` };
}

/** Whether the disk of the folder takes a file and syncs it, and how much room it has. */
async function disk(folder: string, terminal: Terminal): Promise<readonly Finding[]> {
  const place = await existingFolder(folder, terminal);
  try {
    const trial = await mkdtemp(join(place, '.noetl-doctor-'));
    try {
      const file = await open(join(trial, 'file'), 'w');
      await file.writeFile('x');
      await file.sync();
      await file.close();
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const found = `${place} can be written, ${Math.floor(free / 1024 / 1024)} MiB free`;
    if (free >= SPACE) return [{ check: 'disk', status: 'ok', found }];
    return [
      { check: 'disk', status: 'warning', found, hint: 'Executions stop, and go on later, when the disk is full.' },
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      {
        check: 'disk',
        status: 'error',
        found: `${place}: ${why}`,
        hint: ANOTHER,
      },
    ];
  }
}

async function existingFolder(folder: string, terminal: Terminal): Promise<string> {
  for (let place = folder; ; place = dirname(place)) {
    if ((await terminal.look(place)) === 'folder' || place === dirname(place)) return place;
  }
}

const ANOTHER = 'Name another folder by --data or NOETL_DATA.';

async function data(folder: string, terminal: Terminal, machine: Machine): Promise<Finding> {
  const check = 'data folder';
  const there = await terminal.look(folder);
  if (there === 'file' || there === 'other') {
    return { check, status: 'error', found: `${folder} is a file, and a folder is needed`, hint: ANOTHER };
  }
  if (there === undefined) return { check, status: 'ok', found: `${folder} is not there yet; noetl run makes it` };
  if ((await terminal.look(join(folder, STORE_FILE))) === undefined) {
    return { check, status: 'ok', found: `${folder} holds no executions yet` };
  }
  try {
    const opened = await openDataFolder(folder, systemClock, 'look', machine);
    try {
      const { store } = opened;
      const unfinished = await store.executions.unfinished(0, 1_000);
      const processes = await store.drivers.processes();
      const alive = processes.filter(({ pid, startedAt }) => machine.isAlive(pid, startedAt));
      const idle = unfinished.length > 0 && alive.length === 0;
      const found = `${folder}: ${things(unfinished.length, 'unfinished execution')}, driven by ${things(alive.length, 'process', 'processes')}`;
      return {
        check,
        status: 'ok',
        found,
        ...(idle ? { hint: 'noetl exec list --status running shows them; noetl run --resume goes on.' } : {}),
      };
    } finally {
      await opened.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
    return { check, status: 'error', found: why, hint: ANOTHER };
  }
}

/** Whether what the credential store holds can be opened; nothing to say where it holds nothing. */
async function credentials(folder: string, terminal: Terminal, machine: Machine): Promise<readonly Finding[]> {
  if ((await terminal.look(join(folder, STORE_FILE))) === undefined) return [];
  const check = 'credentials';
  try {
    const opened = await openDataFolder(folder, systemClock, 'look', machine);
    try {
      const { length } = await opened.store.secrets.list();
      if (length === 0) return [];
      const damaged = await credentialStoreOf(opened, machine).damaged();
      if (damaged.length === 0)
        return [{ check, status: 'ok', found: `${things(length, 'credential')} can be opened` }];
      const found = `cannot be opened: ${damaged.join(', ')}`;
      return [{ check, status: 'warning', found, hint: 'Set them again: noetl credential set NAME' }];
    } finally {
      await opened.close();
    }
  } catch (error) {
    // What is wrong with the folder has been told.
    if (!(error instanceof KeyProblem)) return [];
    return [{ check, status: 'warning', found: error.message, hint: 'Playbooks that name credentials are rejected.' }];
  }
}
