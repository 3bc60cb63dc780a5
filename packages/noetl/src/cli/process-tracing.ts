import { hostname } from 'node:os';
import type { Tracing } from '../tracing/tracing.ts';
import { wantsTraces } from '../tracing/wants-traces.ts';
import type { DataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';
import { systemClock } from './system-clock.ts';

/** Spans of the executions that this process drives, if the environment names a place for them. */
export async function processTracing(
  { store }: DataFolder,
  version: string,
  { environment, pid }: Machine,
  complain: (text: string) => void,
): Promise<Tracing | undefined> {
  if (!wantsTraces(environment)) return undefined;
  const [{ openTracing }, { traceSettings }] = await Promise.all([
    import('../tracing/tracing.ts'),
    import('../tracing/trace-settings.ts'),
  ]);
  const settings = traceSettings(environment);
  if (settings === undefined) return undefined;
  if ('problem' in settings) {
    complain(`warning: no spans are recorded: ${settings.problem}\n`);
    return undefined;
  }
  const resource = {
    'service.version': version,
    'telemetry.sdk.name': 'noetl',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    'host.name': hostname(),
    'process.pid': pid,
  };
  const tell = (text: string): void => complain(`${text}\n`);
  return openTracing({ settings, log: store.log, clock: systemClock, version, resource, tell });
}
