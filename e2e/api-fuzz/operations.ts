/** A JSON schema, as far as the OpenAPI document uses it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

/** An operation of the API, as its OpenAPI document describes it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The type and the schema of what is sent. */
  readonly body: { readonly type: string; readonly schema: Schema } | undefined;
  /** What it answers if all goes well: the status, the type, and the schema of it. */
  readonly promised: { readonly status: number; readonly type: string; readonly schema: Schema };
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
}

interface OpenapiOperation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export const operationsOf = ({ paths }: OpenapiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, requestBody, responses }]) => {
      const [content] = Object.entries(requestBody?.content ?? {});
      const body = content && { type: content[0], schema: content[1].schema };
      return { method: method.toUpperCase(), path, parameters, body, promised: promiseOf(responses) };
    }),
  );

function promiseOf(responses: OpenapiOperation['responses']): Operation['promised'] {
  const [status = '', { content } = { content: {} }] =
    Object.entries(responses).find(([key]) => key !== 'default') ?? [];
  const [type = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? [];
  return { status: Number(status), type, schema };
}

export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
