import type { Machine } from './machine.ts';

/** What opens all credentials, and how the stores of results and the receiver of traces are reached, is for this program alone. */
const OWN: ReadonlySet<string> = new Set([
  'NOETL_KEY',
  'NOETL_NEW_KEY',
  'NOETL_TOKEN',
  'NOETL_RESULTS_POSTGRES',
  'NOETL_NATS_URL',
  'NOETL_NATS_CREDENTIALS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
]);

/** The variables that the programs of tasks inherit: those of this process, but for its own secrets. */
export const taskEnvironment = ({ environment }: Pick<Machine, 'environment'>): Machine['environment'] =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !OWN.has(name)));
