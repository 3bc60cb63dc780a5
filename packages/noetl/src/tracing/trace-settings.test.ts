import { traceIdOf } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { type TraceSettings, traceSettings } from './trace-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

function settings(environment: Readonly<Record<string, string>>): TraceSettings {
  const found = traceSettings({ ...ENDPOINT, ...environment });
  if (found === undefined || 'problem' in found) throw new Error(`no settings: ${found?.problem}`);
  return found;
}
const problem = (environment: Readonly<Record<string, string>>): string | undefined => {
  const found = traceSettings(environment);
  return found !== undefined && 'problem' in found ? found.problem : undefined;
};

describe('the variables of OpenTelemetry', () => {
  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { ...ENDPOINT, OTEL_SDK_DISABLED: 'True' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
  ])('want no spans: %j', (environment) => {
    expect(traceSettings(environment)).toBeUndefined();
  });

  it.each([
    ['http://a:4318', 'http://a:4318/v1/traces'],
    ['http://a:4318/', 'http://a:4318/v1/traces'],
    ['https://a/otlp/', 'https://a/otlp/v1/traces'],
  ])('name a folder of signals: %s', (OTEL_EXPORTER_OTLP_ENDPOINT, expected) => {
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT }).target.url.href).toBe(expected);
  });

  it('name the place of spans as it is, which wins', () => {
    expect(settings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://b/spans' }).target.url.href).toBe('https://b/spans');
  });

  it('are told where they name no address, without what may be a password', () => {
    expect(problem({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT is no address',
    );
    const text = problem({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://me:swordfish@a' });
    expect(text).toContain('OTEL_EXPORTER_OTLP_HEADERS');
    expect(text).not.toContain('swordfish');
  });

  it('give headers, attributes and how it is sent; those for traces first', () => {
    const found = settings({
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-a = 1',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=x,deployment.environment.name=test%20room',
      OTEL_SERVICE_NAME: 'rooms',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '700',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    });
    expect(found.target).toMatchObject({
      headers: { authorization: 'Bearer abc', 'x-a': '1' },
      compressed: true,
      timeout: 700,
    });
    expect(found.resource).toEqual({ 'service.name': 'rooms', 'deployment.environment.name': 'test room' });
    expect(found.queue).toEqual({ most: 100, batch: 100, delay: 50 });
    expect(found.warnings).toEqual([]);
    const own = settings({ OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2' });
    expect(own.target.headers).toEqual({ b: '2' });
  });

  it('that make no sense are told, and passed over', () => {
    const { warnings, target, queue } = settings({
      OTEL_EXPORTER_OTLP_HEADERS: 'no pair,a=b\n,c=%zz,d=1',
      OTEL_RESOURCE_ATTRIBUTES: 'nothing',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zip',
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '-1',
    });
    for (const word of ['HEADERS', 'RESOURCE', 'PROTOCOL', 'COMPRESSION', 'EXPORTER', 'SAMPLER', 'BATCH_SIZE']) {
      expect(
        warnings.filter((text) => text.includes(word)),
        word,
      ).not.toEqual([]);
    }
    expect(target.headers).toEqual({ a: 'b', d: '1' });
    expect(queue.batch).toBe(512);
  });

  it.each(['0.5', '1e12', '-1', '0', 'NaN', 'Infinity'])('that are no numbers of anything are told: %s', (text) => {
    const { warnings, target, queue } = settings({
      OTEL_EXPORTER_OTLP_TIMEOUT: text,
      OTEL_BSP_MAX_QUEUE_SIZE: text,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: text,
      OTEL_BSP_SCHEDULE_DELAY: text,
    });
    expect(warnings).toHaveLength(4);
    expect(target.timeout).toBe(10_000);
    expect(queue).toEqual({ most: 16_384, batch: 512, delay: 1_000 });
  });

  describe('say which executions have spans', () => {
    const caller = (flags: string) => `00-${traceIdOf('caller')}-00f067aa0ba902b7-${flags}`;
    const share = (environment: Readonly<Record<string, string>>): number => {
      const { sampled } = settings(environment);
      const all = Array.from({ length: 2_000 }, (_, nth) => ({ execution_id: `01m7gq${nth}50sepnaf4` }));
      return all.filter(sampled).length / all.length;
    };

    it('all, unless the caller says no', () => {
      const { sampled } = settings({});
      expect(sampled({ execution_id: 'e' })).toBe(true);
      expect(sampled({ execution_id: 'e', traceparent: caller('01') })).toBe(true);
      expect(sampled({ execution_id: 'e', traceparent: caller('00') })).toBe(false);
      expect(sampled({ execution_id: 'e', traceparent: 'nonsense' })).toBe(true);
    });

    it.each([
      ['always_on', undefined, 1, 1],
      ['always_off', undefined, 0, 0],
      ['parentbased_always_off', undefined, 0, 1],
      ['traceidratio', '0.25', 0.25, undefined],
      ['parentbased_traceidratio', '0.25', 0.25, 1],
    ])('%s %s', (sampler, ratio, expected, called) => {
      const environment = {
        OTEL_TRACES_SAMPLER: sampler,
        ...(ratio === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: ratio }),
      };
      expect(Math.abs(share(environment) - expected)).toBeLessThan(0.05);
      if (called === undefined) return;
      expect(settings(environment).sampled({ execution_id: 'e', traceparent: caller('01') })).toBe(called === 1);
    });
  });
});
