import { stringify } from 'yaml';
import { playbookOf } from './playbook-of.testing.ts';
import type { BadStory } from './shrink.testing.ts';
import { playbooksOf } from './story.testing.ts';

/** A story that went wrong, for whoever has to find out why. */
export function toldStory({ story, outcome }: BadStory): string {
  const playbooks = playbooksOf(story).map(([path, workflow]) => {
    const { workflow: steps } = playbookOf(workflow, path);
    return `The playbook '${path}':\n\n${stringify({ workflow: steps }, { lineWidth: 0 })}`;
  });
  const { processes, slots, executions, ordered, late, stays, eventsPerDecision } = story;
  const setting = `${counted(executions, 'execution')}, ${counted(processes, 'process', 'processes')} with ${counted(slots, 'slot')}, requests ${
    ordered ? 'in order' : 'in any order'
  }, ${eventsPerDecision} events per decision${late ? ', timers late now and then' : ''}${stays ? ', processes go on where their store fails' : ''}`;
  const without = outcome.faultless ? ' (also without any fault)' : '';
  return [
    ...playbooks,
    `The setting: ${setting}.`,
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
