import * as z from 'zod';

/** The most that one page holds. */
const MOST_ON_PAGE = 1_000;

export const limit = (standard: number) =>
  z.coerce.number().int().min(1).max(MOST_ON_PAGE).default(standard).describe('how many');

/** A page of a list: the next begins behind `next`, if there is one. */
export const Page = <T extends z.ZodType>(place: T) =>
  z.object({ next: place.nullable().describe('where the next page begins; null if this is the last') });
