import { stringify } from 'yaml';
import type { BadStory } from './shrink.testing.ts';
import { playbooksOf } from './story.testing.ts';

/** A story that went wrong, for whoever has to find out why. */
export function toldStory({ story, outcome }: BadStory): string {
  const playbooks = playbooksOf(story).map(([path, { workflow: steps }]) => {
    return `The playbook '${path}':\n\n${stringify({ workflow: steps }, { lineWidth: 0 })}`;
  });
  const { processes, slots, executions, ordered, late, stays, eventsPerDecision } = story;
  const setting = `${counted(executions, 'execution')}, ${counted(processes, 'process', 'processes')} with ${counted(slots, 'slot')}, requests ${
    ordered ? 'in order' : 'in any order'
  }, ${eventsPerDecision} events per decision${late ? ', timers late now and then' : ''}${stays ? ', processes go on where their store fails' : ''}`;
  const { workers = [], ttl } = story.remote ?? {};
  const homes = workers.map(
    ({ pool, labels, slots: of }) => `${pool} ${JSON.stringify(labels)} with ${counted(of, 'slot')}`,
  );
  const others = homes.length === 0 ? '' : `\nThe workers: ${homes.join('; ')}; leases of ${ttl} ms.`;
  const without = outcome.faultless ? ' (also without any fault)' : '';
  return [
    ...playbooks,
    `The setting: ${setting}.${others}`,
    '',
    'What happened, by virtual milliseconds:',
    '',
    ...outcome.ending.lines(),
    '',
    `VIOLATION${without}: ${outcome.violation?.message}`,
    '',
  ].join('\n');
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
