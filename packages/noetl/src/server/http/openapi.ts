import * as z from 'zod';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of the routes. */
export function openapiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'NoETL', version, description: 'Run playbooks durably, visibly and fast.' },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM },
    },
  };
}

const PROBLEM: Json = {
  type: 'object',
  description: 'RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
  },
};

function operation(route: Route): Json {
  const { answer, status = 200, body, stream = false, tag, summary, permission, method, path } = route;
  const content =
    typeof answer === 'string'
      ? { [answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(answer, 'output') } };
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    'x-permission': permission,
    security: permission === 'public' ? [] : [{ token: [] }],
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(body === undefined && !stream
      ? {}
      : {
          requestBody: {
            required: body?.safeParse(undefined).success !== true,
            content: {
              [stream ? 'application/octet-stream' : 'application/json']: {
                schema: body === undefined ? {} : schemaOf(body, 'input'),
              },
            },
          },
        }),
    responses: {
      [status]: { description: summary, content },
      default: {
        description: 'a problem',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** `get_executions_id_events` */
const operationId = (method: string, path: string): string =>
  [
    method.toLowerCase(),
    ...path
      .replace('/api/', '')
      .split(/[/{}.]+/)
      .filter((part) => part !== ''),
  ].join('_');

function parameters(where: 'path' | 'query', schema: z.ZodType | undefined): readonly Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  // Text of a query is read as a number: what is written there is one, to whoever writes it.
  const override = ({
    zodSchema,
    jsonSchema,
  }: {
    zodSchema: { _zod: { def: unknown } };
    jsonSchema: Record<string, unknown>;
  }) => {
    const def = zodSchema._zod.def as { type?: string; coerce?: boolean; checks?: unknown };
    if (def.type === 'number' && def.coerce === true && jsonSchema.type === undefined) jsonSchema.type = 'number';
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override,
  });
  return rest;
}
