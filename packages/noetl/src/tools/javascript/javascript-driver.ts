/**
 * The program of a warm JavaScript process: reads calls from descriptor 3, line by line, and answers on descriptor 4.
 * Each call is a function of its own; globals that it leaves behind are removed after it. Loaded modules stay.
 */
export const JAVASCRIPT_DRIVER = String.raw`
'use strict';
const { writeSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { createInterface } = require('node:readline');
const { Socket } = require('node:net');
const { compileFunction } = require('node:vm');
const { Worker } = require('node:worker_threads');
const limits = JSON.parse(process.argv[1]);
/** Bytes that Node itself takes. */
const BASE = 96 * 1024 * 1024;
process.argv.length = 1;
const { parse, stringify } = JSON;

function send(frame) {
  const data = Buffer.from(frame + '\n');
  for (let start = 0; start < data.length; ) start += writeSync(4, data, start);
}

let printed = 0;
for (const [stream, name] of [[process.stdout, 'o'], [process.stderr, 'e']]) {
  stream.write = (chunk, encoding, callback) => {
    const done = typeof encoding === 'function' ? encoding : callback;
    if (printed < limits.log) {
      const whole = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const text = whole.slice(0, limits.log - printed);
      printed += text.length;
      send(stringify([name, text]));
      if (printed >= limits.log) {
        send(stringify([name, '\u2026\n[what follows is not kept: the limit is ' + limits.log + ' characters]\n']));
      }
    }
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
}

class Problem extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** The value as JSON has it: what would be lost silently is a problem instead. */
function plain(value, where, around) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new Problem('result.json', where + ' is ' + value + ', which has no form in JSON.');
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'function':
    case 'symbol':
      throw new Problem('result.json', where + ' is a ' + typeof value + ', which has no form in JSON.');
  }
  if (value === null) return null;
  if (around.includes(value)) throw new Problem('result.json', where + ' contains itself.');
  if (around.length > 500) throw new Problem('result.json', where + ' is nested too deeply.');
  if (typeof value.toJSON === 'function') return plain(value.toJSON(), where, [...around, value]);
  around.push(value);
  let copy;
  if (Array.isArray(value)) {
    copy = Array.from(value, (item, index) => plain(item, where + '[' + index + ']', around));
  } else {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind !== 'Object' && kind !== 'Error' || value instanceof Error) {
      throw new Problem('result.json', where + ' is of type ' + (value.constructor?.name ?? kind) + ', which has no form in JSON.');
    }
    copy = Object.create(null);
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined) copy[key] = plain(value[key], where + '.' + key, around);
    }
  }
  around.pop();
  return copy;
}

function encoded(value) {
  const text = stringify(plain(value, 'the result', []));
  const size = Buffer.byteLength(text);
  if (size <= limits.result) return text;
  throw new Problem('result.size', 'the result is ' + size + ' bytes of JSON, the limit is ' + limits.result + '; write that much to a file.');
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
class End {
  constructor(entry, result) {
    this.entry = entry;
    this.result = result;
  }
}

function isName(name) {
  if (!NAME.test(name)) return false;
  try {
    new Function(name, '');
    return name !== 'arguments' && name !== 'eval' && name !== 'require' && name !== 'result';
  } catch {
    return false;
  }
}

const functions = new Map();
const HEAD = 'let result;return (async () => {';

/** The code as a function of the args; names it declares itself hide them. */
function functionOf(code, name, line, entry, names, base) {
  const key = stringify([code, name, line, entry, names, base]);
  const known = functions.get(key);
  if (known !== undefined) return known;
  if (functions.size >= 256) functions.clear();
  const tail = '\n;return new noetl_End(typeof ' + entry + " === 'undefined' ? undefined : " + entry + ", typeof result === 'undefined' ? undefined : result);";
  // Lines are numbered as in the file that the code stands in.
  const made = compileFunction(HEAD + code + tail + '\n})();', ['noetl_End', 'require', ...names], {
    filename: name,
    lineOffset: line - 1,
    columnOffset: -HEAD.length,
    importModuleDynamically: async (specifier, _, attributes) => import(await resolved(specifier, base), { with: attributes }),
  });
  functions.set(key, made);
  return made;
}

let resolver;

/** Where an import leads: to what require would find from there, and to modules that only import may have. */
async function resolved(specifier, base) {
  if (specifier.startsWith('node:')) return specifier;
  resolver ??= import('data:text/javascript,export default (specifier, parent) => import.meta.resolve(specifier, parent)');
  return (await resolver).default(specifier, pathToFileURL(base).href);
}

function textOf(file) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new Problem('task.field', "the file '" + file + "' is no UTF-8.");
  }
}

let modules = 0;

async function run(call) {
  const { entry, args } = call;
  if (!isName(entry)) throw new Problem('task.field', "'" + entry + "' is no name of a function.");
  let end;
  if (call.code === undefined && call.name.endsWith('.mjs')) {
    const module = await import(pathToFileURL(call.name).href + '?call=' + ++modules);
    end = new End(module[entry], module.result);
  } else {
    const code = call.code ?? textOf(call.name);
    const names = Object.keys(args).filter(isName);
    if (!Object.hasOwn(args, 'args')) names.push('args');
    const base = join(call.libs ?? (call.code === undefined ? dirname(call.name) : call.folder), 'task.js');
    const body = functionOf(code, call.name, call.line ?? 1, entry, names, base);
    end = await body(End, createRequire(base), ...names.map((name) => Object.hasOwn(args, name) ? args[name] : args));
    if (!(end instanceof End)) return end;
  }
  const { entry: main } = end;
  if (typeof main === 'function') return await main(args);
  if (call.entry_given) throw new Problem('task.field', "the code defines no function '" + entry + "'.");
  return globalThis.result !== undefined && end.result === undefined ? globalThis.result : end.result;
}

function sourceOf(call) {
  try {
    return call.code ?? readFileSync(call.name, 'utf8');
  } catch {
    return '';
  }
}

/** The lines of the stack that are the task's own code. */
function places(error, call) {
  const isModule = call.code === undefined && call.name.endsWith('.mjs');
  const file = isModule ? pathToFileURL(call.name).href : call.name;
  const code = sourceOf(call).trimEnd().split('\n');
  const first = call.line ?? 1;
  const last = first + code.length - 1;
  const found = [];
  for (const [index, line] of String(error?.stack ?? '').split('\n').entries()) {
    // A message may name anything; only a syntax error begins with its place.
    const isPlace = index === 0 ? error instanceof SyntaxError && line.startsWith(file + ':') : /^ +at /.test(line);
    const at = isPlace ? line.lastIndexOf(file) : -1;
    if (at < 0) continue;
    const row = Number.parseInt(line.slice(at + file.length).replace(/^(\?call=\d+)?:/, ''), 10);
    // What follows the code is not the task's; but a syntax error may show only there.
    const shown = index === 0 ? Math.min(row, last) : row;
    if (!(shown >= first && shown <= last)) continue;
    const name = /at (?:async )?([^ ]+) \(/.exec(line)?.[1] ?? '';
    found.unshift({ file: call.name, line: shown, function: name, text: (code[shown - first] ?? '').trim() });
  }
  return found.slice(-50);
}

function problemOf(error, call) {
  if (error instanceof Problem) return stringify({ kind: error.kind, message: error.message }).slice(0, -1);
  const isError = error instanceof Error;
  let message;
  try {
    message = isError ? error.message : (stringify(error) ?? String(error));
  } catch {
    message = 'something that cannot be shown';
  }
  return stringify({
    kind: 'javascript.exception',
    type: isError ? error.name : typeof error,
    message: String(message).length > 10000 ? String(message).slice(0, 10000) + '\u2026' : String(message),
    places: places(error, call),
  }).slice(0, -1);
}

async function answerTo(call) {
  try {
    return '{"result":' + encoded(await run(call));
  } catch (error) {
    return problemOf(error, call);
  }
}

/** Looks after the call from a thread of its own, which goes on while the code holds up everything else. */
const WATCH = ${'`'}
const { workerData: { shared, memory } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const state = new Int32Array(shared, 0, 2);
const cpu = new Float64Array(shared, 8, 2);
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
let idle = 0;
for (;;) {
  Atomics.wait(state, 1, 0, 100);
  if (Atomics.load(state, 0) === 0) {
    // Nothing has run for a while: sleep until the next call wakes it.
    if (++idle > 10) { Atomics.store(state, 1, 1); Atomics.wait(state, 1, 1); idle = 0; }
    continue;
  }
  idle = 0;
  if (cpu[1] > 0 && used() - cpu[0] > cpu[1]) process.kill(process.pid, 'SIGXCPU');
  if (process.memoryUsage.rss() > memory) {
    writeSync(2, 'noetl: memory is over its limit');
    process.kill(process.pid, 'SIGKILL');
  }
}
${'`'};
const shared = new SharedArrayBuffer(24);
const state = new Int32Array(shared, 0, 2);
const cpu = new Float64Array(shared, 8, 2);
new Worker(WATCH, { eval: true, workerData: { shared, memory: limits.memory + BASE } }).unref();

function watch(seconds) {
  const { user, system } = process.cpuUsage();
  cpu[0] = (user + system) / 1e6;
  cpu[1] = seconds;
  Atomics.store(state, 0, 1);
  if (Atomics.load(state, 1) === 1) {
    Atomics.store(state, 1, 0);
    Atomics.notify(state, 1);
  }
}

const environment = { ...process.env };
const folder = process.cwd();
const globals = new Map(Reflect.ownKeys(globalThis).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]));
const prototypes = [Object, Array, Function, String, Number, Boolean, Promise, Map, Set, Error, RegExp, Date].map(({ prototype }) => [
  prototype,
  Reflect.ownKeys(prototype).map((key) => Object.getOwnPropertyDescriptor(prototype, key)),
]);

const same = (before, now) => before.value === now.value && before.get === now.get && before.set === now.set;

/** Whether everything is as it was before the call; what can be put back is. */
function restore() {
  for (const key of Reflect.ownKeys(globalThis)) {
    const before = globals.get(key);
    const now = Object.getOwnPropertyDescriptor(globalThis, key);
    if (before === undefined) {
      if (!Reflect.deleteProperty(globalThis, key)) return false;
    } else if (!same(before, now)) {
      if (!Reflect.defineProperty(globalThis, key, before)) return false;
    }
  }
  for (const [prototype, before] of prototypes) {
    const keys = Reflect.ownKeys(prototype);
    if (keys.length !== before.length) return false;
    for (let i = 0; i < keys.length; i++) {
      if (!same(before[i], Object.getOwnPropertyDescriptor(prototype, keys[i]))) return false;
    }
  }
  if (process.cwd() !== folder) process.chdir(folder);
  return true;
}

/** What still runs after the answer would run into the next call. */
const LEFT_OVER = new Set(['Timeout', 'Immediate', 'ProcessWrap', 'Worker', 'TCPServerWrap', 'TCPSocketWrap', 'FSReqCallback', 'GetAddrInfoReqWrap']);

const requests = new Socket({ fd: 3, readable: true, writable: false });
let onUncaught;

process.on('uncaughtException', (error) => {
  if (onUncaught === undefined) process.exit(1);
  onUncaught(error);
});

createInterface({ input: requests }).on('line', async (line) => {
  const call = parse(line);
  printed = 0;
  const trace = call.traceparent === undefined ? {} : { TRACEPARENT: call.traceparent };
  process.env = { ...environment, ...trace, NOETL_IDEMPOTENCY_KEY: call.key };
  let fit = true;
  const uncaught = new Promise((resolve) => {
    onUncaught = (error) => {
      fit = false;
      resolve(problemOf(error, call));
    };
  });
  watch(call.cpu);
  const answer = await Promise.race([answerTo(call), uncaught]);
  Atomics.store(state, 0, 0);
  fit = restore() && fit && !process.getActiveResourcesInfo().some((name) => LEFT_OVER.has(name));
  send(answer + (fit ? ',"fit":true}' : ',"fit":false}'));
}).on('close', () => process.exit(0));
`;
