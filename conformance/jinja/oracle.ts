import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const INTERPRETERS = ['/usr/bin/python3', 'python3'];
const SCRIPT = fileURLToPath(new URL('./oracle.py', import.meta.url));

export const HOW_TO_INSTALL =
  'no Python with jinja2 3.1 was found: install it (on Debian and Ubuntu: apt-get install python3-jinja2)';

/** The first interpreter that can import jinja2 3.1, or undefined. */
export function findInterpreter(): string | undefined {
  return INTERPRETERS.find((command) => {
    const answer = spawnSync(command, ['-c', 'import jinja2; print(jinja2.__version__)'], { encoding: 'utf8' });
    return answer.status === 0 && answer.stdout.startsWith('3.1.');
  });
}

/** Real Jinja2 in one child process: JSON lines in, one JSON line out for each, in the same order. */
export class Oracle {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#process = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(line));
    child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    child.on('exit', (code) => {
      const error = new Error(`the Jinja2 process ended with code ${code}`);
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    });
  }

  static async start(): Promise<Oracle> {
    const command = findInterpreter();
    if (command === undefined) throw new Error(HOW_TO_INSTALL);
    return new Oracle(spawn(command, ['-W', 'ignore', SCRIPT], { env: { ...process.env, PYTHONIOENCODING: 'utf-8' } }));
  }

  /** Sends the requests together and gives their answers in the same order. */
  async ask<Answer>(requests: readonly object[]): Promise<Answer[]> {
    const answers = requests.map(
      () => new Promise<string>((resolve, reject) => this.#waiting.push({ resolve, reject })),
    );
    this.#process.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    return (await Promise.all(answers)).map((line) => JSON.parse(line) as Answer);
  }

  stop(): void {
    this.#process.stdin.end();
    this.#process.kill();
  }
}
