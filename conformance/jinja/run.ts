import { parseArgs } from 'node:util';
import { defaultCasesFile, ownCasesFile, readCases } from './case-file.ts';
import { evaluateCase } from './evaluate-case.ts';
import { recordCases } from './record.ts';
import { buildReport } from './report.ts';

/**
 * `npm run conformance:jinja [-- --cases FILE]` measures the engine; `-- --record` asks real Jinja2 again for the
 * answers of the project's own cases.
 */
const { values: options } = parseArgs({
  options: { cases: { type: 'string' }, record: { type: 'boolean', default: false } },
});

if (options.record) {
  const file = options.cases ?? ownCasesFile;
  console.log(`recorded ${await recordCases(file)} cases in ${file}`);
} else {
  const file = options.cases ?? defaultCasesFile();
  const verdicts = readCases(file)
    .filter((recorded) => recorded.mode !== 'native')
    .map(evaluateCase);
  const report = buildReport(verdicts);
  for (const line of report.lines) console.log(line);
  console.log(report.summary);
  process.exitCode = report.accepted ? 0 : 1;
}
