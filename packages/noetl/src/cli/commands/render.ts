import { compile, type Template, TemplateError } from '@noetl/template';
import { CommandFailure } from '../command-failure.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { parseScope } from '../scope-file.ts';
import type { Terminal } from '../terminal.ts';

export interface RenderOptions {
  /** The template itself, or `-`. */
  readonly template: string;
  /** A file, or `-`. */
  readonly scope: string | undefined;
  readonly json: boolean;
}

/** `noetl render`: prints the value of one template. */
export async function render({ template, scope, json }: RenderOptions, terminal: Terminal): Promise<void> {
  if (template === '-' && scope === '-') {
    throw new CommandFailure(EXIT.usage, 'error: template and scope cannot both be read from standard input');
  }
  const source = template === '-' ? await read('-', 'the template', terminal) : template;
  const name = template === '-' ? 'stdin' : 'template';
  const names =
    scope === undefined ? {} : parseScope(await read(scope, 'the scope', terminal), scope === '-' ? 'stdin' : scope);
  const compiled = located(EXIT.invalid, name, () => compile(source, { undefined: 'checked' }));
  const value = located(EXIT.failed, name, () => evaluate(compiled, names, terminal));
  terminal.print(`${json ? toJson(value) : toText(value)}\n`);
}

async function read(file: string, what: string, terminal: Terminal): Promise<string> {
  try {
    return await terminal.read(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `error: cannot read ${what}: ${reason}`, { cause: error });
  }
}

function evaluate(template: Template, names: Record<string, unknown>, terminal: Terminal): unknown {
  return template.evaluate(names, {
    now: () => new Date(terminal.now()).toISOString(),
    seed: terminal.seed(),
    clock: () => terminal.elapsed(),
  });
}

/** Runs a step of a template's life; its error becomes a message with a place, and the exit code of that step. */
function located<Result>(exitCode: ExitCode, name: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { code, line, column, problem, excerpt, hint } = error;
    const advice = hint === undefined ? '' : ` ${hint}`;
    throw new CommandFailure(exitCode, `${name}:${line}:${column} ${code}: ${problem}${advice}\n${excerpt}`, {
      cause: error,
    });
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? value.toString() : toJson(value, 2);
}

/** TPL-8: an integer beyond 2^53 is its exact decimal string; a number that JSON does not have is an error. */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) => {
      if (typeof part === 'bigint') return part.toString();
      if (typeof part === 'number' && !Number.isFinite(part)) {
        throw new CommandFailure(EXIT.failed, `error: the value contains ${part}, which JSON cannot hold`);
      }
      return part;
    },
    indent,
  );
}
