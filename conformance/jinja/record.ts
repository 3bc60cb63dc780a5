import { writeFileSync } from 'node:fs';
import { type RecordedCase, readCases } from './case-file.ts';
import { Oracle } from './oracle.ts';

/** Asks real Jinja2 for the answer of every case in the file and writes the file anew. Returns the number of cases. */
export async function recordCases(file: string): Promise<number> {
  const cases = readCases(file);
  const oracle = await Oracle.start();
  try {
    const answers = await oracle.ask<RecordedAnswer>(
      cases.map((recorded) => ({
        op: 'record',
        template: recorded.template,
        context: recorded.context,
        mode: recorded.mode,
        undefined: recorded.undefined,
        options: recorded.options ?? {},
      })),
    );
    const lines = cases.map((recorded, index) =>
      JSON.stringify(withAnswer(recorded, answers[index] as RecordedAnswer)),
    );
    writeFileSync(file, `${lines.join('\n')}\n`);
    return cases.length;
  } finally {
    oracle.stop();
  }
}

interface RecordedAnswer {
  readonly expected?: unknown;
  readonly expected_type?: string;
  readonly error?: string;
  readonly tags: readonly string[];
  readonly features: readonly string[];
}

function withAnswer(recorded: RecordedCase, answer: RecordedAnswer): RecordedCase {
  const { id, source, template, context, mode, options } = recorded;
  const result =
    answer.error === undefined
      ? { expected: answer.expected, expected_type: answer.expected_type ?? 'none' }
      : { error: answer.error };
  return {
    id,
    source,
    template,
    context,
    mode,
    undefined: recorded.undefined,
    ...(options === undefined ? {} : { options }),
    ...result,
    tags: answer.tags,
    features: answer.features,
  };
}
