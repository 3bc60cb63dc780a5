import type { Run } from '../evaluation/run.ts';
import type { CallArguments } from '../values/callable.ts';
import { Markup } from '../values/markup.ts';
import { isTrue } from '../values/truth.ts';
import { integerArgument } from './definition.ts';
import { bindArguments } from './signature.ts';

const WORDS =
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute irure in reprehenderit voluptate velit esse cillum eu fugiat nulla pariatur'.split(
    ' ',
  );
const SENTENCE_WORDS = 12;

/** `lipsum(n=5, html=true, min=20, max=100)`: paragraphs of filler text, the same for the same seed. */
export function lipsum(run: Run, args: CallArguments): unknown {
  const [n, html, min, max] = bindArguments(
    "'lipsum'",
    [
      ['n', 5],
      ['html', true],
      ['min', 20],
      ['max', 100],
    ],
    args,
  );
  const count = Math.max(0, integerArgument(n, "'n'"));
  const least = Math.max(0, integerArgument(min, "'min'"));
  const most = Math.max(least + 1, integerArgument(max, "'max'"));
  const paragraphs: string[] = [];
  for (let i = 0; i < count; i++) {
    run.budget.text(most * 12);
    run.budget.items(most);
    const length = least + Math.floor(run.random() * (most - least));
    paragraphs.push(paragraph(run, length));
  }
  return isTrue(html) ? new Markup(paragraphs.map((text) => `<p>${text}</p>`).join('\n')) : paragraphs.join('\n\n');
}

function paragraph(run: Run, length: number): string {
  const words = Array.from({ length }, () => WORDS[Math.floor(run.random() * WORDS.length)] ?? '');
  return words
    .map((word, i) => {
      const starts = i % SENTENCE_WORDS === 0;
      const ends = i % SENTENCE_WORDS === SENTENCE_WORDS - 1 || i === length - 1;
      return `${starts ? word.charAt(0).toUpperCase() + word.slice(1) : word}${ends ? '.' : ''}`;
    })
    .join(' ');
}
