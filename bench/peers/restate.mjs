// Restate: its server of one node with the defaults, a service in this process, and calls through the ingress.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { measured } from './measured.mjs';

// Its library wants what Node has from version 22 on.
Promise.withResolvers ??= () => {
  let settle = {};
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
};
const restate = await import('@restatedev/restate-sdk');

const [program = '', firstPort = '0'] = process.argv.slice(2);
const [node, admin, ingress, service] = [0, 1, 2, 3].map((nth) => Number(firstPort) + nth);
const folder = mkdtempSync(join(tmpdir(), 'bench-restate-'));

const bench = restate.service({
  name: 'bench',
  handlers: {
    chain: async (/** @type {restate.Context} */ context, /** @type {number} */ steps) => {
      for (let step = 0; step < steps; step++) await context.run(`s${step}`, () => step);
      return steps;
    },
    fan: async (/** @type {restate.Context} */ context, /** @type {number} */ steps) => {
      const runs = Array.from({ length: steps }, (_, step) => context.run(`s${step}`, () => step));
      return (await restate.RestatePromise.all(runs)).length;
    },
  },
});
await restate.serve({ services: [bench], port: service });

const server = spawn(program, ['--no-logo', '--base-dir', folder, '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1'], {
  env: {
    PATH: process.env.PATH,
    RUST_LOG: 'error',
    DO_NOT_TRACK: '1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});

/** @param {string} url @param {unknown} body */
async function post(url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}

async function register() {
  for (let tries = 0; ; tries++) {
    try {
      await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${service}` });
      return;
    } catch (error) {
      if (tries > 150) throw error;
      await sleep(200);
    }
  }
}

try {
  await register();
  const figures = await measured((shape, steps) => post(`http://127.0.0.1:${ingress}/bench/${shape}`, steps));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
