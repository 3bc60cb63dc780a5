import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { composition, drainOf, image, unitOf } from './deployment.testing.ts';
import { openProgram, type Program, root } from './program.testing.ts';
import { exitCode, openServerCalls, until } from './server-calls.testing.ts';

/** Beyond its --drain a worker may need so long to say its last words, in seconds. */
const LAST_WORDS = 5;

/** Work that is under way until a file is there, and then hands on to another pool. */
const held = (file: string, began: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: held, path: held }
workflow:
  - step: start
    tool: [{ wait: { kind: shell, cmds: ["touch ${began}; until [ -e ${file} ]; do sleep 0.05; done; echo held"] } }]
    next: { arcs: [{ step: count }] }
  - step: count
    spec: { pool: heavy }
    tool: [{ sum: { kind: python, code: "result = sum([1, 2, 3])" } }]
`;

describe('a deployment', { timeout: 180_000 }, () => {
  let program: Program;
  let noetl: string;
  const running = new Set<ChildProcess>();
  beforeAll(() => {
    program = openProgram();
    noetl = join(program.folder, 'bin/noetl');
    mkdirSync(join(program.folder, 'bin'));
    symlinkSync(join(root, 'noetl'), noetl);
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });
  afterAll(() => program.close());

  /** Runs a command line of a deployment with the variables that it has there, and no others of ours. */
  const started = (args: readonly string[], env: NodeJS.ProcessEnv): { child: ChildProcess; output(): string } => {
    const { PATH } = process.env;
    const child = spawn(noetl, args, { cwd: program.folder, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        output += piece;
      });
    }
    return { child, output: () => output };
  };
  const answered = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> =>
    exitCode(started(args, env).child);
  const urlIn = async (data: string): Promise<string> => {
    const file = join(data, 'server.json');
    await until(async () => existsSync(file));
    return JSON.parse(readFileSync(file, 'utf8')).url;
  };
  /** It ends by itself, with exit code 0, when it is asked to. */
  const stopped = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGTERM');
    expect([await exitCode(child), child.signalCode]).toEqual([0, null]);
    running.delete(child);
  };
  const secret = (file: string): string => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return readFileSync(file, 'utf8').trim();
  };

  it('by systemd: the units start a server and a worker that is known by its token; work ends well when both are stopped', async () => {
    const state = mkdtempSync(join(program.folder, 'state-'));
    const serverUnit = unitOf('noetl-server', state, { NOETL_SERVER_OPTIONS: '--port 0 --no-worker' });
    const [, ...serverArgs] = serverUnit.command;
    const server = started(serverArgs, serverUnit.environment);
    const url = await urlIn(join(state, 'noetl/data'));
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    expect((await fetch(`${url}/api/executions`)).status).toBe(401);

    const token = secret(join(state, 'noetl/tokens/worker'));
    const workers = ['default', 'heavy'].map((pool) => {
      const options = `--pool ${pool} --slots 2 --label zone=eu`;
      const unit = unitOf('noetl-worker', state, {
        NOETL_SERVER: url,
        NOETL_TOKEN: token,
        NOETL_WORKER_OPTIONS: options,
      });
      const [, ...args] = unit.command;
      expect(unit.stopTimeout).toBeGreaterThan(drainOf(args) + LAST_WORDS);
      return started(args, unit.environment);
    });
    expect(serverUnit.stopTimeout).toBeGreaterThan(drainOf(serverArgs) + LAST_WORDS);

    const calls = openServerCalls(url, secret(join(state, 'noetl/tokens/admin')));
    const [go, began] = [join(state, 'go'), join(state, 'began')];
    await calls.register(held(go, began));
    const execution = await calls.start('held');
    await until(async () => existsSync(began));
    const first = workers[0] as { child: ChildProcess };
    first.child.kill('SIGTERM');
    writeFileSync(go, '');
    expect(await exitCode(first.child)).toBe(0);
    expect(await calls.end(execution)).toMatchObject({ status: 'success', result: 6 });
    for (const worker of workers.slice(1)) await stopped(worker.child);
    await stopped(server.child);
    for (const { output } of [server, ...workers]) expect(output()).not.toContain(token);
  });

  it('by systemd: the signal reaches the program alone, and what it cannot be helped out of is not tried again', () => {
    for (const name of ['noetl-server', 'noetl-worker']) {
      const { settings } = unitOf(name, '/var/lib', {});
      expect(Object.fromEntries(settings)).toMatchObject({
        KillMode: 'mixed',
        Restart: 'on-failure',
        RestartPreventExitStatus: '2 126',
      });
    }
  });

  const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!analyze)('by systemd: systemd finds nothing wrong with the units', () => {
    const folder = mkdtempSync(join(tmpdir(), 'noetl-units-'));
    try {
      const units = ['noetl-server', 'noetl-worker'].map((name) => {
        const file = join(folder, `${name}.service`);
        const text = readFileSync(join(root, `deploy/systemd/${name}.service`), 'utf8');
        writeFileSync(file, text.replace('/usr/local/bin/noetl', noetl));
        return file;
      });
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('by compose: the server makes its tokens and is healthy, workers of both pools do its work, all stop well and start again', async () => {
    const { services, volumes } = composition();
    const disk = mkdtempSync(join(program.folder, 'volumes-'));
    const { entrypoint, environment, health } = image();
    expect(entrypoint.at(-1)).toBe('noetl');
    expect(health[0]).toBe('noetl');
    // The folders of the image are folders of ours; everything else is as in the container.
    const inside = (text: string): string =>
      text.replace(/(^|=)(\/(?:data|keys|tokens|worker-token)\b)/, `$1${disk}$2`);
    const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inside(value)]));
    const { server, ...others } = services;
    const mounted = (volume: string): string[] => [volume.split(':')[0] ?? '', volume.split(':')[1] ?? ''];
    for (const service of Object.values(services)) {
      for (const volume of service.volumes) expect(volumes).toHaveProperty(mounted(volume)[0] ?? '');
    }

    let tokens: readonly string[] = [];
    for (const _start of ['first', 'second']) {
      const args = (server?.command ?? []).map(inside).map((arg) => arg.replace('--port=8082', '--port=0'));
      const serving = started(args, env);
      const url = await urlIn(join(disk, 'data'));
      expect(await answered(health.slice(1), env)).toBe(0);
      const workers = Object.values(others).map(({ command, environment: given = {}, volumes: seen, ...service }) => {
        expect(service.depends_on).toEqual({ server: { condition: 'service_healthy' } });
        expect(service.healthcheck).toEqual({ disable: true });
        expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(drainOf(command) + LAST_WORDS);
        expect(seen.map((volume) => mounted(volume)[1])).toEqual(['/worker-token']);
        const mine = Object.entries(given).map(([name, value]) => [
          name,
          inside(value).replace('http://server:8082', url),
        ]);
        return started(command, { ...env, ...Object.fromEntries(mine) });
      });
      const admin = secret(join(disk, 'tokens/admin'));
      const worker = secret(join(disk, 'worker-token/token'));
      if (tokens.length > 0) expect([admin, worker]).toEqual(tokens);
      tokens = [admin, worker];

      const calls = openServerCalls(url, admin);
      const [go, began] = [join(disk, 'data/go'), join(disk, 'data/began')];
      writeFileSync(go, '');
      await calls.register(held(go, began));
      const execution = await calls.start('held');
      expect(await calls.end(execution)).toMatchObject({ status: 'success', result: 6 });
      expect((await calls.workers()).map(({ pool }) => pool).sort()).toEqual(['default', 'heavy']);
      for (const { child } of workers) await stopped(child);
      await stopped(serving.child);
      expect(await answered(health.slice(1), env)).toBe(3);
      for (const { output } of [serving, ...workers]) {
        for (const token of tokens) expect(output()).not.toContain(token);
      }
    }
  });

  it('by the image alone: its command starts a server that others reach with a token', async () => {
    const disk = mkdtempSync(join(program.folder, 'image-'));
    const { command, environment, user } = image();
    expect(user).toBe('noetl');
    const inside = (text: string): string =>
      text.replace(/(^|=)(\/(?:data|keys|tokens|worker-token)\b)/, `$1${disk}$2`);
    const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inside(value)]));
    const serving = started([...command.map(inside), '--port=0'], { ...env, NOETL_HOSTS: 'noetl.example' });
    const url = await urlIn(join(disk, 'data'));
    expect((await fetch(`${url}/api/executions`)).status).toBe(401);
    // Commands in the container reach it, whatever it is called outside.
    expect(
      await answered(['exec', 'list', '--server', url], { ...env, NOETL_TOKEN_FILE: join(disk, 'tokens/admin') }),
    ).toBe(0);
    await stopped(serving.child);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'goes on after a power failure, also where the pid of the server is now that of a process of root',
    async () => {
      const data = program.newData();
      mkdirSync(data, { mode: 0o777 });
      const dead = { pid: 1, startedAt: 'before', url: 'http://127.0.0.1:9', token: 'x', version: '0' };
      writeFileSync(join(data, 'server.json'), JSON.stringify(dead));
      const status = await program.run(['server', 'status', '--data', data], { uid: 65_534 });
      expect([status.code, status.stderr]).toEqual([3, expect.stringContaining('no server runs on')]);
    },
  );
});
