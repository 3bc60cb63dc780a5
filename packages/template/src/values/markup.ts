import { type Kind, Special } from './special.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? '');

/** Text that is already HTML: made by `escape` and `safe`, it escapes whatever is added to it. */
export class Markup extends Special {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  get kind(): Kind {
    return 'str';
  }
}

export const isText = (value: unknown): value is string | Markup =>
  typeof value === 'string' || value instanceof Markup;

export const textOf = (value: string | Markup): string => (typeof value === 'string' ? value : value.text);

/** Gives `text` the type of the value it was made from. */
export const likeText = (model: string | Markup, text: string): string | Markup =>
  typeof model === 'string' ? text : new Markup(text);
