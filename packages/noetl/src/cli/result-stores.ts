import type { ResultStore, StoreProblem } from '../ports/result-store.ts';
import { createFileResults } from '../results/files.ts';
import { createNatsLink, type NatsLink } from '../results/nats-connection.ts';
import { createNatsObjectResults } from '../results/nats-object.ts';
import { createPostgresResults, type PostgresLink } from '../results/postgres.ts';
import { createRoutedResults } from '../results/routed.ts';
import { type ConnectionPool, openPool } from '../tools/postgres/connection-pool.ts';
import { AddressProblem, type ServerAddress, serverAddress } from '../tools/postgres/server-address.ts';
import type { Machine } from './machine.ts';
import { natsAddress } from './nats-address.ts';

/** The stores of results that a process of this installation knows: files, and what the environment says. */
export interface ResultStores {
  readonly results: ReturnType<typeof createRoutedResults>;
  close(): Promise<void>;
}

const TABLE = 'noetl.results';
const BUCKET = 'noetl-results';

const CONNECTIONS = 4;
const TIMEOUTS = { pool: 30_000, connect: 10_000 };

export function openResultStores(files: string, machine: Pick<Machine, 'environment' | 'workingFolder'>): ResultStores {
  let postgres: ReturnType<typeof openPostgres> | undefined;
  let nats: NatsLink | StoreProblem | undefined;

  function open(name: string): ResultStore | StoreProblem {
    const [, kind = name, place] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
    if (kind === 'postgres') {
      postgres ??= openPostgres(machine);
      return 'problem' in postgres ? postgres : createPostgresResults(postgres, name, place ?? TABLE);
    }
    if (kind === 'nats_object') {
      nats ??= openNats(machine);
      return 'problem' in nats ? nats : createNatsObjectResults(nats, name, place ?? BUCKET);
    }
    if (kind === 'gcs') {
      return { problem: "results cannot be kept in 'gcs' yet. Use file, postgres or nats_object." };
    }
    return { problem: `there is no store '${name}'. Stores are: file, postgres, nats_object.` };
  }

  return {
    results: createRoutedResults(createFileResults(files), open),
    async close() {
      if (postgres !== undefined && 'lend' in postgres) await postgres.close();
      if (nats !== undefined && 'connected' in nats) await nats.close();
    },
  };
}

function openNats(machine: Pick<Machine, 'environment' | 'workingFolder'>): NatsLink | StoreProblem {
  const address = natsAddress(machine);
  if (address === undefined) {
    return {
      problem: "results are kept in 'nats_object', and NOETL_NATS_URL is not set. Set it to nats://host:4222.",
    };
  }
  return 'problem' in address ? address : createNatsLink(address);
}

function openPostgres({
  environment,
  workingFolder,
}: Pick<Machine, 'environment' | 'workingFolder'>): (PostgresLink & { close(): Promise<void> }) | StoreProblem {
  const dsn = environment.NOETL_RESULTS_POSTGRES ?? '';
  if (dsn === '') {
    return {
      problem:
        "results are kept in 'postgres', and NOETL_RESULTS_POSTGRES is not set. Set it to the connection string of the database.",
    };
  }
  try {
    return linkTo(serverAddress(dsn, workingFolder));
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    return { problem: `NOETL_RESULTS_POSTGRES ${error.message}. Correct it, or unset it.` };
  }
}

function linkTo(address: ServerAddress): PostgresLink & { close(): Promise<void> } {
  const { host, port, database = '' } = address;
  const never = new AbortController().signal;
  let pool: Promise<ConnectionPool> | undefined;
  return {
    place: `postgresql://${host}:${port}/${database}`,
    async lend() {
      pool ??= import('pg').then((api) => openPool(api, address, CONNECTIONS));
      return (await pool).lend(TIMEOUTS, never);
    },
    async close() {
      await (await pool)?.close();
    },
  };
}
