import { defaultCasesFile, ownCasesFile, readCases } from './case-file.ts';
import { readArguments, UsageError } from './command-line.ts';
import { evaluateCase } from './evaluate-case.ts';
import { recordCases } from './record.ts';
import { buildReport } from './report.ts';

/**
 * `npm run conformance:jinja [-- --cases FILE]` measures the engine; `-- --record` asks real Jinja2 again for the
 * answers of the project's own cases.
 */
async function main(): Promise<number> {
  const options = readArguments({ cases: { type: 'string' }, record: { type: 'boolean' } });
  if (options.record === true) {
    const file = options.cases ?? ownCasesFile;
    console.log(`recorded ${await recordCases(file)} cases in ${file}`);
    return 0;
  }
  const file = options.cases ?? defaultCasesFile();
  const cases = readCases(file).filter((recorded) => recorded.mode !== 'native');
  if (cases.length === 0) throw new UsageError(`${file} holds no cases.`);
  const report = buildReport(cases.map(evaluateCase));
  for (const line of report.lines) console.log(line);
  console.log(report.summary);
  return report.accepted ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
