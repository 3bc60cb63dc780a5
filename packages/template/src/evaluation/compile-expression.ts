import type { Budget } from '../budget.ts';
import { type Definition, unknownDefinition } from '../builtins/definition.ts';
import { bindArguments } from '../builtins/signature.ts';
import type * as ast from '../syntax/ast.ts';
import { TemplateError } from '../template-error.ts';
import { getAttribute, getItem, getSlice } from '../values/access.ts';
import { add, divide, floorDivide, modulo, multiply, negate, plus, power, subtract } from '../values/arithmetic.ts';
import { type CallArguments, NO_NAMED } from '../values/callable.ts';
import { Dict } from '../values/dict.ts';
import { isEqual } from '../values/equality.ts';
import { ownList, Tuple } from '../values/list.ts';
import { isText, textOf } from '../values/markup.ts';
import { contains } from '../values/membership.ts';
import { compare } from '../values/ordering.ts';
import { toText } from '../values/text.ts';
import { isTrue } from '../values/truth.ts';
import { Undefined } from '../values/undefined.ts';
import { callMethod, callValue } from './call.ts';
import { compileArguments } from './compile-arguments.ts';
import type { CompileContext } from './compile-context.ts';
import type { Evaluate } from './frame.ts';

/** A call costs about as much as this many turns of an empty loop. */
const CALL_STEPS = 6;

/** A filter, test or method goes through the text it is applied to. */
function chargeCall(budget: Budget, value: unknown): void {
  budget.step(CALL_STEPS);
  if (isText(value)) budget.read(textOf(value).length);
}

/** Turns an expression into a closure. What can fail first notes its place, for the error message. */
export function compileExpression(node: ast.Expression, context: CompileContext): Evaluate {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'name':
      return compileName(node, context);
    case 'attribute':
      return compileAttribute(node, context);
    case 'item':
      return compileItem(node, context);
    case 'slice':
      return compileSlice(node, context);
    case 'call':
      return compileCall(node, context);
    case 'filter':
      return compileFilter(node, context);
    case 'test':
      return compileTest(node, context);
    case 'unary':
      return compileUnary(node, context);
    case 'binary':
      return compileBinary(node, context);
    case 'concat':
      return compileConcat(node, context);
    case 'compare':
      return compileCompare(node, context);
    case 'conditional':
      return compileConditional(node, context);
    case 'list':
    case 'tuple':
      return compileSequence(node, context);
    case 'dict':
      return compileDict(node, context);
  }
}

function compileName({ name, at }: ast.Name, context: CompileContext): Evaluate {
  const ownNames = () => context.assigned;
  if (context.assigned.has(name)) {
    return (frame) => {
      frame.run.at = at;
      return frame.get(name);
    };
  }
  return (frame) => {
    frame.run.at = at;
    return frame.run.name(name, ownNames);
  };
}

function compileAttribute(node: ast.Attribute, context: CompileContext): Evaluate {
  const object = compileExpression(node.object, context);
  const { name, at } = node;
  const path = context.textOf(node);
  return (frame) => {
    const value = object(frame);
    frame.run.at = at;
    return getAttribute(frame.run, value, name, path);
  };
}

function compileItem(node: ast.Item, context: CompileContext): Evaluate {
  const object = compileExpression(node.object, context);
  const key = compileExpression(node.key, context);
  const { at } = node;
  const path = context.textOf(node);
  return (frame) => {
    const value = object(frame);
    const k = key(frame);
    frame.run.at = at;
    return getItem(frame.run, value, k, path);
  };
}

function compileSlice(node: ast.Slice, context: CompileContext): Evaluate {
  const object = compileExpression(node.object, context);
  const [start, stop, step] = [node.start, node.stop, node.step].map((bound) =>
    bound === undefined ? () => undefined : compileExpression(bound, context),
  ) as [Evaluate, Evaluate, Evaluate];
  const { at } = node;
  return (frame) => {
    const [value, from, to, by] = [object(frame), start(frame), stop(frame), step(frame)];
    frame.run.at = at;
    return getSlice(frame.run, value, from, to, by);
  };
}

/** TPL-3: a call on an attribute means the method first, then a function kept under that key. */
function compileCall(node: ast.Call, context: CompileContext): Evaluate {
  const args = compileArguments(node.args, (argument) => compileExpression(argument, context));
  const { callee, at } = node;
  const path = context.textOf(callee);
  if (callee.kind === 'attribute') {
    const object = compileExpression(callee.object, context);
    const { name } = callee;
    return (frame) => {
      const value = object(frame);
      const given = args(frame);
      frame.run.at = at;
      chargeCall(frame.run.budget, value);
      return callMethod(frame.run, value, name, given, path);
    };
  }
  const target = compileExpression(callee, context);
  return (frame) => {
    const value = target(frame);
    const given = args(frame);
    frame.run.at = at;
    frame.run.budget.step(CALL_STEPS);
    return callValue(frame.run, value, given, path);
  };
}

export function compileFilter(node: ast.Filter, context: CompileContext, input?: Evaluate): Evaluate {
  const { at, name } = node;
  const value = node.value === undefined ? input : compileFilterInput(node.value, context, input);
  if (value === undefined) throw new Error('a filter without a value');
  return compileApplication(context.environment.filters, 'filter', name, at, node.args, value, context);
}

function compileFilterInput(value: ast.Expression, context: CompileContext, input: Evaluate | undefined): Evaluate {
  return value.kind === 'filter' && input !== undefined
    ? compileFilter(value, context, input)
    : compileExpression(value, context);
}

function compileTest(node: ast.Test, context: CompileContext): Evaluate {
  const { at, name, negated } = node;
  const value = compileExpression(node.value, context);
  const test = compileApplication(context.environment.tests, 'test', name, at, node.args, value, context);
  return negated ? (frame) => !test(frame) : test;
}

function compileApplication<Result>(
  definitions: ReadonlyMap<string, Definition<Result>>,
  word: 'filter' | 'test',
  name: string,
  at: number,
  args: ast.Arguments,
  value: Evaluate,
  context: CompileContext,
): (frame: Parameters<Evaluate>[0]) => Result {
  const definition = definitions.get(name);
  if (definition === undefined) {
    const error = new TemplateError(unknownDefinition(word, name, definitions.keys()), context.source, at);
    if (!context.inBranch && !context.environment.collectsUnknownNames) throw error;
    context.unknownNames.push(error);
    return () => {
      throw error;
    };
  }
  const { parameters } = definition;
  const what = `the ${word} '${name}'`;
  const bind = (given: CallArguments): readonly unknown[] =>
    parameters === undefined ? given.positional : bindArguments(what, parameters, given);
  if (args.positional.length === 0 && args.named.length === 0 && args.rest === undefined && args.more === undefined) {
    return (frame) => {
      const input = value(frame);
      frame.run.at = at;
      chargeCall(frame.run.budget, input);
      return definition.apply(frame.run, input, bind(NO_ARGUMENTS), NO_NAMED);
    };
  }
  const compiled = compileArguments(args, (argument) => compileExpression(argument, context));
  return (frame) => {
    const input = value(frame);
    const given = compiled(frame);
    frame.run.at = at;
    chargeCall(frame.run.budget, input);
    return definition.apply(frame.run, input, bind(given), given.named);
  };
}

const NO_ARGUMENTS: CallArguments = { positional: [], named: NO_NAMED };

function compileUnary({ operator, operand, at }: ast.Unary, context: CompileContext): Evaluate {
  const value = compileExpression(operand, context);
  if (operator === 'not') return (frame) => !isTrue(value(frame));
  const apply = operator === '-' ? negate : plus;
  return (frame) => {
    const input = value(frame);
    frame.run.at = at;
    return apply(input);
  };
}

const ARITHMETIC = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
} as const;

function compileBinary({ operator, left, right, at }: ast.Binary, context: CompileContext): Evaluate {
  const a = compileExpression(left, context);
  const b = compileExpression(right, context);
  if (operator === 'and') {
    return (frame) => {
      const value = a(frame);
      return isTrue(value) ? b(frame) : value;
    };
  }
  if (operator === 'or') {
    return (frame) => {
      const value = a(frame);
      return isTrue(value) ? value : b(frame);
    };
  }
  const apply = ARITHMETIC[operator];
  return (frame) => {
    const x = a(frame);
    const y = b(frame);
    frame.run.at = at;
    return apply(x, y, frame.run.budget);
  };
}

function compileConcat({ parts, at }: ast.Concat, context: CompileContext): Evaluate {
  const values = parts.map((part) => compileExpression(part, context));
  return (frame) => {
    const { budget } = frame.run;
    let text = '';
    for (const value of values) {
      const part = value(frame);
      frame.run.at = at;
      text += toText(part, budget);
    }
    budget.text(text.length);
    return text;
  };
}

type Comparison = (a: unknown, b: unknown, budget: Budget) => boolean;
const COMPARISONS: Readonly<Record<ast.CompareOperator, Comparison>> = {
  '==': (a, b, budget) => isEqual(a, b, budget),
  '!=': (a, b, budget) => !isEqual(a, b, budget),
  '<': (a, b, budget) => compare(a, b, budget) < 0,
  '<=': (a, b, budget) => compare(a, b, budget) <= 0,
  '>': (a, b, budget) => compare(a, b, budget) > 0,
  '>=': (a, b, budget) => compare(a, b, budget) >= 0,
  in: (a, b, budget) => contains(b, a, budget),
  'not in': (a, b, budget) => !contains(b, a, budget),
};

/** `x in ['a', 'b']` looks at the list and lets go of it, so one list serves all evaluations. */
function compileOperand(operator: ast.CompareOperator, operand: ast.Expression, context: CompileContext): Evaluate {
  if ((operator === 'in' || operator === 'not in') && operand.kind === 'list') {
    const values = operand.items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
    if (values.length === operand.items.length) return () => values;
  }
  return compileExpression(operand, context);
}

/** `a < b < c` is `a < b and b < c`, each operand evaluated once. */
function compileCompare({ first, rest, at }: ast.Compare, context: CompileContext): Evaluate {
  const start = compileExpression(first, context);
  const links = rest.map(({ operator, operand }) => ({
    holds: COMPARISONS[operator],
    value: compileOperand(operator, operand, context),
  }));
  const only = links.length === 1 ? links[0] : undefined;
  if (only !== undefined) {
    const { holds, value } = only;
    return (frame) => {
      const a = start(frame);
      const b = value(frame);
      frame.run.at = at;
      return holds(a, b, frame.run.budget);
    };
  }
  return (frame) => {
    let left = start(frame);
    for (const { holds, value } of links) {
      const right = value(frame);
      frame.run.at = at;
      if (!holds(left, right, frame.run.budget)) return false;
      left = right;
    }
    return true;
  };
}

function compileConditional(node: ast.Conditional, context: CompileContext): Evaluate {
  const branch = { ...context, inBranch: true };
  const test = compileExpression(node.test, branch);
  const then = compileExpression(node.then, branch);
  const path = context.textOf(node);
  const otherwise: Evaluate =
    node.otherwise === undefined
      ? ({ run }) => new Undefined(run.undefinedMode === 'checked' ? 'checked' : 'default', { path, name: 'else' })
      : compileExpression(node.otherwise, branch);
  return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
}

function compileSequence(node: ast.ListLiteral | ast.TupleLiteral, context: CompileContext): Evaluate {
  const values = node.items.map((item) => compileExpression(item, context));
  const isTuple = node.kind === 'tuple';
  return (frame) => {
    frame.run.budget.items(values.length);
    const items = values.map((value) => value(frame));
    return isTuple ? new Tuple(items) : ownList(items);
  };
}

function compileDict({ entries, at }: ast.DictLiteral, context: CompileContext): Evaluate {
  const pairs = entries.map(({ key, value }) => ({
    key: compileExpression(key, context),
    value: compileExpression(value, context),
  }));
  return (frame) => {
    frame.run.budget.items(pairs.length);
    const dict = new Dict();
    for (const { key, value } of pairs) {
      const k = key(frame);
      const v = value(frame);
      frame.run.at = at;
      dict.set(k, v);
    }
    return dict;
  };
}
