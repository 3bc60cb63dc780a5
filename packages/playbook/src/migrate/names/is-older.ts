import type { DocumentFacts } from '../document-facts.ts';

/** Whether a document speaks anything but the canonical dialect: names in one that does not mean what they say. */
export const isOlder = ({ dialects }: DocumentFacts): boolean => [...dialects].some((dialect) => dialect !== 'v10');
