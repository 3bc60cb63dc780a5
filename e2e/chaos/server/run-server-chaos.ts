import { openProgram } from '../../program.testing.ts';
import { wholeOption } from '../../whole-option.ts';
import { runCampaign } from './campaign.ts';
import { toldCampaign } from './told-campaign.ts';

interface Options {
  readonly faults?: string | undefined;
  readonly seconds?: string | undefined;
  readonly seed?: string | undefined;
  readonly json?: boolean | undefined;
}

/** `npm run chaos -- --server`: answers with its exit code. */
export async function runServerChaos({ faults, seconds, seed: given, json = false }: Options): Promise<number> {
  if (faults !== undefined && seconds !== undefined) throw new Error('--faults and --seconds: one of them');
  const seed = wholeOption('seed', given, Math.floor(Math.random() * 2 ** 31), 0);
  const most = seconds === undefined ? wholeOption('faults', faults, 300) : undefined;
  const lasts = seconds === undefined ? undefined : wholeOption('seconds', seconds, 60);
  if (!json) console.log(`seed ${seed}`);
  const { stderr } = process;
  const told = stderr.isTTY && !json;
  const program = openProgram();
  const breakOff = (): void => {
    program.close().finally(() => process.exit(130));
  };
  process.once('SIGINT', breakOff).once('SIGTERM', breakOff);
  const result = await runCampaign({
    program,
    seed,
    faults: most,
    seconds: lasts,
    punctual: true,
    skipped: (why) => console.error(why),
    progress: (line) => told && stderr.write(`\r\u001b[K${line}`),
  });
  if (told) stderr.write('\r\u001b[K');
  const again = `npm run chaos -- --server ${lasts === undefined ? `--faults ${most}` : `--seconds ${lasts}`} --seed ${seed}`;
  console.log(json ? JSON.stringify({ ...result, again }) : toldCampaign(result, again));
  if (result.problems.length > 0) return 1;
  await program.close();
  return 0;
}
