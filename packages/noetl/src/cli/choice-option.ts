import { didYouMean } from '@noetl/template';
import { InvalidArgumentError, Option } from 'commander';

/** An option that takes one of some words, the first if it is not given; for any other the nearest is proposed. */
export function choiceOption(flags: string, description: string, choices: readonly [string, ...string[]]): Option {
  return new Option(flags, description)
    .choices(choices)
    .default(choices[0])
    .argParser((word) => {
      if (choices.includes(word)) return word;
      const allowed = `Allowed choices are ${choices.join(', ')}.`;
      throw new InvalidArgumentError([allowed, didYouMean(word, choices)].filter(Boolean).join(' '));
    });
}
