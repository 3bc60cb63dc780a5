import { readTraceparent, traceIdOf } from '@noetl/engine';
import type { OtlpTarget } from './otlp-sender.ts';
import type { Attributes } from './span.ts';
import { wantsTraces } from './wants-traces.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the variables of OpenTelemetry say about traces. */
export interface TraceSettings {
  readonly target: OtlpTarget;
  /** Attributes of the resource that were given. */
  readonly resource: Attributes;
  readonly queue: { readonly most: number; readonly batch: number; readonly delay: number };
  /** What was asked for and is not done. */
  readonly warnings: readonly string[];
  /** Whether spans of an execution are recorded. */
  sampled(request: { readonly execution_id: string; readonly traceparent?: string | undefined }): boolean;
}

const TIMEOUT = 10_000;
const MOST = 16_384;
const BATCH = 512;
const DELAY = 1_000;
/** More milliseconds than this no timer can wait. */
const LARGEST = 2 ** 31 - 1;

/** Undefined if no spans are wanted; a problem if nothing can be made of the variables. */
export function traceSettings(environment: Environment): TraceSettings | { readonly problem: string } | undefined {
  if (!wantsTraces(environment)) return undefined;
  const url = endpointOf(environment);
  if ('problem' in url) return url;
  const warnings: string[] = [];
  const warn = (text: string): void => {
    warnings.push(text);
  };
  const own = (name: string): string | undefined =>
    given(environment, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? given(environment, `OTEL_EXPORTER_OTLP_${name}`);
  const exporter = given(environment, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter !== 'otlp') warn(`OTEL_TRACES_EXPORTER=${exporter} is not known; spans are sent by OTLP.`);
  const protocol = own('PROTOCOL') ?? 'http/json';
  if (!/^http\/(json|protobuf)$/.test(protocol)) {
    warn(`OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} is not spoken; spans are sent as http/json, usually to port 4318.`);
  }
  const compression = own('COMPRESSION') ?? 'none';
  if (compression !== 'none' && compression !== 'gzip') {
    warn(`OTEL_EXPORTER_OTLP_COMPRESSION=${compression} is not known; spans are sent as they are.`);
  }
  const number = (name: string, standard: number): number => {
    const text = given(environment, name);
    const value = Number(text);
    if (text === undefined) return standard;
    if (Number.isInteger(value) && value > 0 && value <= LARGEST) return value;
    warn(`${name}=${text} is no whole number from 1 to ${LARGEST}; it is taken for ${standard}.`);
    return standard;
  };
  const most = number('OTEL_BSP_MAX_QUEUE_SIZE', MOST);
  const timeout = given(environment, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') === undefined ? '' : 'TRACES_';
  return {
    target: {
      url: url.url,
      headers: headersOf(own('HEADERS') ?? '', warn),
      compressed: compression === 'gzip',
      timeout: number(`OTEL_EXPORTER_OTLP_${timeout}TIMEOUT`, TIMEOUT),
    },
    resource: resourceOf(environment, warn),
    queue: {
      most,
      batch: Math.min(number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', BATCH), most),
      delay: number('OTEL_BSP_SCHEDULE_DELAY', DELAY),
    },
    sampled: samplerOf(environment, warn),
    warnings,
  };
}

const given = (environment: Environment, name: string): string | undefined => {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
};

/** The general address is a folder of signals, that of traces is the place itself. */
function endpointOf(environment: Environment): { readonly url: URL } | { readonly problem: string } {
  const exact = given(environment, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const name = exact === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const text = exact ?? given(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? '';
  // The value is not shown: it may have a password in it.
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return { problem: `${name} is no address that begins with http:// or https://, such as http://127.0.0.1:4318.` };
  }
  const url = new URL(text);
  if (exact === undefined) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  if (url.username !== '' || url.password !== '') {
    return { problem: `${name} has a user or password in it. Give them with OTEL_EXPORTER_OTLP_HEADERS.` };
  }
  return { url };
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function headersOf(text: string, warn: (text: string) => void): Readonly<Record<string, string>> {
  const pairs = pairsOf(text).filter(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value));
  const count = text.split(',').filter((part) => part.trim() !== '').length;
  if (pairs.length < count) warn('OTEL_EXPORTER_OTLP_HEADERS has parts that are no name=value; they are left out.');
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

function resourceOf(environment: Environment, warn: (text: string) => void): Attributes {
  const text = environment.OTEL_RESOURCE_ATTRIBUTES ?? '';
  const pairs = pairsOf(text);
  if (pairs.length < text.split(',').filter((part) => part.trim() !== '').length) {
    warn('OTEL_RESOURCE_ATTRIBUTES has parts that are no name=value; they are left out.');
  }
  const name = given(environment, 'OTEL_SERVICE_NAME');
  return { ...Object.fromEntries(pairs), ...(name === undefined ? {} : { 'service.name': name }) };
}

/** `a=1,b=2`, values with escapes as in addresses. */
const pairsOf = (text: string): readonly (readonly [name: string, value: string])[] =>
  text.split(',').flatMap((part) => {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at < 1 || name === '') return [];
    try {
      return [[name, decodeURIComponent(part.slice(at + 1).trim())] as const];
    } catch {
      return [];
    }
  });

/** The digits of a trace id that decide: those that W3C calls random. */
const DECIDING = 14;

function samplerOf(environment: Environment, warn: (text: string) => void): TraceSettings['sampled'] {
  const name = given(environment, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const [, follows, own] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (own === undefined) {
    warn(`OTEL_TRACES_SAMPLER=${name} is not known; everything is recorded that the caller does not leave out.`);
  }
  const ratio = own === 'always_off' ? 0 : own === 'traceidratio' ? ratioOf(environment, warn) : 1;
  const asksCaller = own === undefined || follows !== undefined;
  return ({ execution_id, traceparent }) => {
    const asked = readTraceparent(traceparent);
    if (asksCaller && asked !== undefined) return asked.sampled;
    const digits = (asked?.trace_id ?? traceIdOf(execution_id)).slice(-DECIDING);
    return Number.parseInt(digits, 16) < ratio * 16 ** DECIDING;
  };
}

function ratioOf(environment: Environment, warn: (text: string) => void): number {
  const text = given(environment, 'OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn(`OTEL_TRACES_SAMPLER_ARG=${text} is no number from 0 to 1; it is taken for 1.`);
  return 1;
}
