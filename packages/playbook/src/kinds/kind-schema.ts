/**
 * What a tool kind accepts. One description serves the validator, the JSON Schema, the reference pages and the tools
 * themselves.
 */
export type FieldType = 'text' | 'integer' | 'number' | 'boolean' | 'map' | 'list' | 'text-list' | 'any';

export interface Field {
  readonly type: FieldType;
  readonly description: string;
  readonly required?: boolean;
  /** The only values it may have. */
  readonly values?: readonly string[];
  /** What it is when left out, for documentation and tools. */
  readonly fallback?: string | number | boolean;
  /** What to do about a value of the wrong type, where the description does not say it. */
  readonly mistaken?: string;
  /** Taken as it is written: code is never a template. */
  readonly verbatim?: boolean;
}

/** Rules between the fields of a kind. */
export interface FieldGroups {
  /** Groups of which exactly one field must be given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** Groups of which only one field may be given. */
  readonly atMostOne?: readonly (readonly string[])[];
  /** Pairs of fields that only go together. */
  readonly together?: readonly (readonly [string, string])[];
  /** A field that another one needs when it has this value. */
  readonly needs?: readonly { readonly field: string; readonly is: string; readonly needs: string }[];
}

export interface KindSchema {
  readonly kind: string;
  /** One sentence: what it does. */
  readonly summary: string;
  /** One sentence: what its result is. */
  readonly result: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Which fields go with which. */
  readonly groups?: FieldGroups;
  /** A task that validates, without its label. */
  readonly example: string;
}
