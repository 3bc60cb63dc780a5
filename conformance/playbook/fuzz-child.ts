import { runCampaign } from './fuzzing/campaign.ts';

/** One part of a campaign: the arguments are seed, first index and count; the answer goes to the parent process. */
const [seed, first, count] = process.argv.slice(2).map(Number);
process.send?.(runCampaign({ seed: seed ?? 0, first: first ?? 0, count: count ?? 0 }));
