/**
 * The syntax tree of a template. Every node has `at`, its offset in the source in UTF-16 units, so that errors,
 * linters and rewriters can point at the author's text.
 */

export interface Literal {
  readonly kind: 'literal';
  readonly at: number;
  readonly end: number;
  /** Already in the engine's representation: a float with an integral value is a `Float`. */
  readonly value: unknown;
}

export interface Name {
  readonly kind: 'name';
  readonly at: number;
  readonly end: number;
  readonly name: string;
}

export interface Attribute {
  readonly kind: 'attribute';
  readonly at: number;
  readonly end: number;
  readonly object: Expression;
  readonly name: string;
}

export interface Item {
  readonly kind: 'item';
  readonly at: number;
  readonly end: number;
  readonly object: Expression;
  readonly key: Expression;
}

export interface Slice {
  readonly kind: 'slice';
  readonly at: number;
  readonly end: number;
  readonly object: Expression;
  readonly start: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly step: Expression | undefined;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: readonly NamedArgument[];
  /** `*rest` */
  readonly rest: Expression | undefined;
  /** `**more` */
  readonly more: Expression | undefined;
}

export interface NamedArgument {
  readonly name: string;
  readonly value: Expression;
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly end: number;
  readonly callee: Expression;
  readonly args: Arguments;
}

export interface Filter {
  readonly kind: 'filter';
  readonly at: number;
  readonly end: number;
  /** Undefined only as the innermost filter of `{% filter %}` and `{% set x | … %}`: there it is the block's text. */
  readonly value: Expression | undefined;
  readonly name: string;
  readonly args: Arguments;
}

export interface Test {
  readonly kind: 'test';
  readonly at: number;
  readonly end: number;
  readonly value: Expression;
  readonly name: string;
  readonly args: Arguments;
  readonly negated: boolean;
}

export type UnaryOperator = '-' | '+' | 'not';
export interface Unary {
  readonly kind: 'unary';
  readonly at: number;
  readonly end: number;
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | 'and' | 'or';
export interface Binary {
  readonly kind: 'binary';
  readonly at: number;
  readonly end: number;
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Concat {
  readonly kind: 'concat';
  readonly at: number;
  readonly end: number;
  readonly parts: readonly Expression[];
}

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';
export interface Compare {
  readonly kind: 'compare';
  readonly at: number;
  readonly end: number;
  readonly first: Expression;
  readonly rest: readonly { readonly operator: CompareOperator; readonly operand: Expression }[];
}

export interface Conditional {
  readonly kind: 'conditional';
  readonly at: number;
  readonly end: number;
  readonly test: Expression;
  readonly then: Expression;
  readonly otherwise: Expression | undefined;
}

export interface ListLiteral {
  readonly kind: 'list';
  readonly at: number;
  readonly end: number;
  readonly items: readonly Expression[];
}

export interface TupleLiteral {
  readonly kind: 'tuple';
  readonly at: number;
  readonly end: number;
  readonly items: readonly Expression[];
}

export interface DictLiteral {
  readonly kind: 'dict';
  readonly at: number;
  readonly end: number;
  readonly entries: readonly { readonly key: Expression; readonly value: Expression }[];
}

export type Expression =
  | Literal
  | Name
  | Attribute
  | Item
  | Slice
  | Call
  | Filter
  | Test
  | Unary
  | Binary
  | Concat
  | Compare
  | Conditional
  | ListLiteral
  | TupleLiteral
  | DictLiteral;

/** What `for`, `set` and `with` assign to. */
export type Target = NameTarget | AttributeTarget | TupleTarget;
export interface NameTarget {
  readonly kind: 'name-target';
  readonly at: number;
  readonly name: string;
}
/** `{% set ns.count = … %}` */
export interface AttributeTarget {
  readonly kind: 'attribute-target';
  readonly at: number;
  readonly object: string;
  readonly name: string;
}
export interface TupleTarget {
  readonly kind: 'tuple-target';
  readonly at: number;
  readonly items: readonly Target[];
}

export interface Parameter {
  readonly at: number;
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export interface Text {
  readonly kind: 'text';
  readonly at: number;
  readonly text: string;
}
export interface Output {
  readonly kind: 'output';
  readonly at: number;
  readonly expression: Expression;
}
export interface If {
  readonly kind: 'if';
  readonly at: number;
  readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[];
}
export interface For {
  readonly kind: 'for';
  readonly at: number;
  readonly target: Target;
  readonly iterable: Expression;
  readonly condition: Expression | undefined;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface Assignment {
  readonly kind: 'set';
  readonly at: number;
  readonly target: Target;
  readonly value: Expression;
}
export interface SetBlock {
  readonly kind: 'set-block';
  readonly at: number;
  readonly target: Target;
  readonly filter: Filter | undefined;
  readonly body: readonly Statement[];
}
export interface Macro {
  readonly kind: 'macro';
  readonly at: number;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}
export interface CallBlock {
  readonly kind: 'call-block';
  readonly at: number;
  readonly parameters: readonly Parameter[];
  readonly call: Call;
  readonly body: readonly Statement[];
}
export interface FilterBlock {
  readonly kind: 'filter-block';
  readonly at: number;
  readonly filter: Filter;
  readonly body: readonly Statement[];
}
export interface With {
  readonly kind: 'with';
  readonly at: number;
  readonly assignments: readonly { readonly target: Target; readonly value: Expression }[];
  readonly body: readonly Statement[];
}

export type Statement = Text | Output | If | For | Assignment | SetBlock | Macro | CallBlock | FilterBlock | With;

export interface TemplateTree {
  readonly body: readonly Statement[];
}
