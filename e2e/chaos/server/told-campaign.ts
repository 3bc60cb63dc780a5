import { type CampaignResult, CLAIMED_WITHIN, RE_LEASED_WITHIN, TTL } from './campaign.ts';
import { FAULT_KINDS } from './fault-plan.ts';

/** What a run came to, for people. */
export function toldCampaign(result: CampaignResult, again: string): string {
  const { faults, executions, events, calls, leases, lost, stuck, stale, reLease, wakeUp, answer, problems } = result;
  const kinds = FAULT_KINDS.flatMap((kind) => (faults[kind] === undefined ? [] : [`${kind} ${faults[kind]}`]));
  const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
  return [
    `${total} faults in ${result.seconds} s: ${kinds.join(', ')}`,
    `${executions} executions, ${events} events, ${calls} calls of tools, ${leases} leases of ${TTL} s`,
    `${lost} lost, ${stuck} stuck, ${stale} stale writes accepted`,
    `worker lost → leased again: ${seconds(reLease.worst)} at worst, of ${reLease.times} (at most ${seconds(RE_LEASED_WITHIN)})`,
    `answer to a claim lost → leased again: ${seconds(answer.worst)} at worst, of ${answer.times} (at most ${seconds(RE_LEASED_WITHIN)})`,
    `wake-up lost → claimed: ${seconds(wakeUp.worst)} at worst, of ${wakeUp.times} (at most ${seconds(CLAIMED_WITHIN)})`,
    ...problems.map((problem) => `  ✗ ${problem}`),
    problems.length === 0
      ? `all came to the same end, the logs are intact and the ledger agrees (seed ${result.seed})`
      : `${problems.length} FAILED (seed ${result.seed})\n  folder: ${result.folder}\n  again: ${again}`,
  ].join('\n');
}
