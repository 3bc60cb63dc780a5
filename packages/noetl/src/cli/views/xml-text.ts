import { visible } from './visible.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of users inside of an XML element or attribute: nothing in it is a mark, and XML allows every character. */
export const xmlText = (text: string): string =>
  visible(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
