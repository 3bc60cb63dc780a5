import { canonicalDocument, formatGithub, formatPretty, readPlaybook } from '@noetl/playbook';

const MAX_MS = 250;
export const MAX_RSS_BYTES = 512 * 1024 * 1024;

/** Why a document is a finding; undefined if all promises hold. */
export function problemOf(text: string): string | undefined {
  let problem: string | undefined;
  let best = timeOf(() => {
    problem = brokenPromise(text);
  });
  if (problem !== undefined) return problem;
  // A machine that is busy elsewhere is no finding: the fastest reading counts.
  for (let again = 0; best > MAX_MS && again < 4; again++) {
    best = Math.min(
      best,
      timeOf(() => readPlaybook(text, { file: 'fuzz.yaml' })),
    );
  }
  return best > MAX_MS ? `took ${Math.round(best)} ms` : undefined;
}

/** Milliseconds by the clock, or of the processor if those are fewer. */
function timeOf(action: () => void): number {
  const processor = process.cpuUsage();
  const started = performance.now();
  action();
  const { user, system } = process.cpuUsage(processor);
  return Math.min(performance.now() - started, (user + system) / 1000);
}

function brokenPromise(text: string): string | undefined {
  try {
    const { playbook, diagnostics } = readPlaybook(text, { file: 'fuzz.yaml' });
    if ((playbook === undefined) !== diagnostics.some(({ severity }) => severity === 'error')) {
      return 'a playbook together with an error, or neither';
    }
    for (const diagnostic of diagnostics) {
      if (!(diagnostic.line >= 1 && diagnostic.column >= 1 && diagnostic.length >= 1))
        return 'a diagnostic without a place';
      if (diagnostic.hint.trim() === '') return 'a diagnostic without a hint';
      if (formatPretty(diagnostic, false).length > 20_000) return 'a diagnostic nobody can read';
      formatGithub(diagnostic);
    }
    if (({} as Record<string, unknown>).polluted !== undefined) return 'a prototype was polluted';
    return playbook === undefined ? undefined : changedByNormalising(JSON.stringify(canonicalDocument(playbook)));
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** "Normalising twice changes nothing", for whatever was accepted. */
function changedByNormalising(canonical: string): string | undefined {
  const { playbook, diagnostics } = readPlaybook(canonical, { file: 'canonical.json' });
  if (playbook === undefined) {
    const first = diagnostics.find(({ severity }) => severity === 'error');
    // The canonical form is longer and may be nested deeper.
    return first?.code.endsWith('_LIMIT')
      ? undefined
      : `the canonical form is refused: ${first?.code} ${first?.message}`;
  }
  return JSON.stringify(canonicalDocument(playbook)) === canonical ? undefined : 'normalising twice changes something';
}
