import * as z from 'zod';
import { docsPage } from '../http/docs-page.ts';
import { openapiDocument } from '../http/openapi.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** The routes, with two more that describe them all. */
export function withDocumentation(routes: readonly Route[], version: string): readonly Route[] {
  const all: readonly Route[] = [
    ...routes,
    defineRoute({
      method: 'GET',
      path: '/api/openapi.json',
      permission: 'public',
      tag: 'server',
      summary: 'this description, as OpenAPI 3.1',
      answer: z.looseObject({ openapi: z.string() }),
      handle: async () => ({ body: described() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/docs',
      permission: 'public',
      tag: 'server',
      summary: 'this description, as a page',
      answer: 'text/html; charset=utf-8',
      handle: async () => ({ text: docsPage(described(), all), type: 'text/html; charset=utf-8' }),
    }),
  ];
  let document: ReturnType<typeof openapiDocument> | undefined;
  const described = () => {
    document ??= openapiDocument(all, version);
    return document;
  };
  return all;
}
