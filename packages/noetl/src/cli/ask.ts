import type { ReadStream } from 'node:tty';

/**
 * Asks a person at a terminal; undefined if there is no answer, by Ctrl-C or Ctrl-D. What is hidden leaves nothing on the
 * screen, not even its length.
 */
export function askOn(input: ReadStream, show: (text: string) => void) {
  return (question: string, { hidden }: { readonly hidden: boolean }): Promise<string | undefined> =>
    new Promise((resolve) => {
      let typed = '';
      const end = (answer: string | undefined): void => {
        input.off('data', take);
        input.setRawMode(false);
        input.pause();
        show('\n');
        resolve(answer);
      };
      const take = (text: string): void => {
        for (const char of text) {
          if (char === '\r' || char === '\n') return end(typed);
          if (char === '\u0003' || (char === '\u0004' && typed === '')) return end(undefined);
          if (char === '\u007f' || char === '\b') {
            if (!hidden && typed !== '') show('\b \b');
            typed = [...typed].slice(0, -1).join('');
          } else if (char >= ' ' || char === '\t') {
            typed += char;
            if (!hidden) show(char);
          }
        }
      };
      // Before anybody can see the question and begin to type.
      input.setEncoding('utf8').setRawMode(true);
      input.on('data', take);
      input.resume();
      show(question);
    });
}
