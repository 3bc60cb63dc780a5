import { type Field, KIND_SCHEMAS, type KindSchema } from '@noetl/playbook';

const TABLE = /<!-- fields of (\w+) -->\n(?:.*?\n)??<!-- end of fields -->/gs;

/** The kinds whose fields a page of the reference lists. */
export const kindsWithTable = (page: string): readonly string[] =>
  [...page.matchAll(TABLE)].map(([, kind = '']) => kind);

/** A page of the reference with its tables of fields as the schemas of the kinds tell them. */
export const withFieldTables = (page: string): string =>
  page.replace(TABLE, (whole, kind: string) => {
    const schema = KIND_SCHEMAS[kind];
    return schema === undefined ? whole : `<!-- fields of ${kind} -->\n${fieldTable(schema)}<!-- end of fields -->`;
  });

function fieldTable({ fields, groups = {} }: KindSchema): string {
  const rows = Object.entries(fields).map(
    ([name, field]) => `| \`${name}\` | ${typeOf(field)} | ${fallbackOf(field)} | ${cell(field.description)} |\n`,
  );
  const rules = rulesOf(groups).map((rule) => `- ${rule}\n`);
  return `| field | type | unless given | |\n|---|---|---|---|\n${rows.join('')}\n${rules.join('')}${rules.length > 0 ? '\n' : ''}`;
}

const TYPES: Readonly<Record<Field['type'], string>> = {
  text: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  map: 'mapping',
  list: 'list',
  'text-list': 'list of texts',
  any: 'any',
};

const typeOf = ({ type, values }: Field): string =>
  values === undefined ? TYPES[type] : values.map((value) => `\`${value}\``).join(', ');

function fallbackOf({ required, fallback }: Field): string {
  if (required === true) return 'required';
  return fallback === undefined ? '' : `\`${fallback}\``;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function rulesOf({
  exactlyOne = [],
  atMostOne = [],
  together = [],
  needs = [],
}: NonNullable<KindSchema['groups']>): readonly string[] {
  return [
    ...exactlyOne.map((names) => `Exactly one of ${listed(names)} is given.`),
    ...atMostOne.map((names) => `At most one of ${listed(names)} is given.`),
    ...together.map((names) => `${listed(names)} go together.`),
    ...needs.map(({ field, is, needs: needed }) => `\`${field}: ${is}\` needs \`${needed}\`.`),
  ];
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
