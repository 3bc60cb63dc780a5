import type * as ast from '../syntax/ast.ts';
import { assignedBy, bodiesOf, someExpression, someStatement } from '../syntax/walk.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { Loop } from '../values/loop.ts';
import { Namespace } from '../values/namespace.ts';
import { isIterable, iterate } from '../values/sequence.ts';
import { typeName } from '../values/special.ts';
import { isTrue } from '../values/truth.ts';
import { Undefined } from '../values/undefined.ts';
import { callMethod, callValue } from './call.ts';
import { compileArguments } from './compile-arguments.ts';
import type { CompileContext } from './compile-context.ts';
import { compileExpression, compileFilter } from './compile-expression.ts';
import type { Evaluate, Execute, Frame } from './frame.ts';
import { Macro, type MacroDefinition } from './macro.ts';

/** Every name that the template assigns anywhere. */
export function assignedNames(body: readonly ast.Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (statements: readonly ast.Statement[]): void => {
    for (const statement of statements) {
      for (const name of assignedBy(statement)) names.add(name);
      for (const inner of bodiesOf(statement)) visit(inner);
    }
  };
  visit(body);
  return names;
}

export function compileBody(body: readonly ast.Statement[], context: CompileContext): Execute {
  const statements = body.map((statement) => compileStatement(statement, context));
  const only = statements[0];
  if (statements.length === 1 && only !== undefined) return only;
  return (frame) => {
    for (const statement of statements) statement(frame);
  };
}

function compileStatement(node: ast.Statement, outer: CompileContext): Execute {
  // Only what stands directly in a branch is lenient: as in Jinja, a block inside it is not.
  const context = outer.inBranch && isBlock(node) ? { ...outer, inBranch: false } : outer;
  switch (node.kind) {
    case 'text': {
      const { text } = node;
      return (frame) => frame.run.write(text);
    }
    case 'output': {
      const value = compileExpression(node.expression, context);
      const { at } = node.expression;
      return (frame) => {
        const printed = value(frame);
        frame.run.at = at;
        frame.run.print(printed);
      };
    }
    case 'if':
      return compileIf(node, context);
    case 'for':
      return compileFor(node, outer, context);
    case 'set': {
      const assign = compileTarget(node.target);
      const value = compileExpression(node.value, context);
      return (frame) => assign(frame, value(frame));
    }
    case 'set-block':
      return compileSetBlock(node, context);
    case 'macro': {
      const definition = macroDefinition(node.name, node.parameters, node.body, context);
      return (frame) => frame.set(definition.name, new Macro(definition, frame));
    }
    case 'call-block':
      return compileCallBlock(node, context);
    case 'filter-block': {
      const body = compileBody(node.body, context);
      const filtered = compileFilter(node.filter, context, (frame) => frame.run.capture(() => body(frame.inner())));
      return (frame) => frame.run.print(filtered(frame));
    }
    case 'with':
      return compileWith(node, outer, context);
  }
}

const isBlock = (node: ast.Statement): boolean => node.kind !== 'if' && bodiesOf(node).length > 0;

function compileIf(node: ast.If, context: CompileContext): Execute {
  const inside = { ...context, inBranch: true };
  const branches = node.branches.map((branch) => ({
    test: compileExpression(branch.test, inside),
    body: compileBody(branch.body, inside),
  }));
  const otherwise = compileBody(node.otherwise, inside);
  return (frame) => {
    for (const { test, body } of branches) {
      if (isTrue(test(frame))) return body(frame);
    }
    return otherwise(frame);
  };
}

/** What one turn of an empty loop counts. */
const TURN_STEPS = 2;

function compileFor(node: ast.For, outer: CompileContext, context: CompileContext): Execute {
  const iterable = compileExpression(node.iterable, outer);
  const condition = node.condition === undefined ? undefined : compileExpression(node.condition, context);
  const assign = compileTarget(node.target);
  const body = compileBody(node.body, context);
  const otherwise = compileBody(node.otherwise, context);
  const readsLoop =
    node.recursive || someExpression(node.body, (inner) => inner.kind === 'name' && inner.name === 'loop');
  // A macro or call block keeps its frame: then every turn needs a frame of its own.
  const sharesFrame = !someStatement(node.body, (inner) => inner.kind === 'macro' || inner.kind === 'call-block');
  const { at } = node.iterable;

  const itemsOf = (frame: Frame, value: unknown): readonly unknown[] => {
    const { run } = frame;
    run.at = at;
    const items = iterate(value, run.budget);
    if (condition === undefined) return items;
    const kept: unknown[] = [];
    for (const item of items) {
      run.budget.step();
      const inner = frame.inner();
      assign(inner, item);
      if (isTrue(condition(inner))) kept.push(item);
    }
    return kept;
  };

  const execute = (frame: Frame, value: unknown, depth: number): void => {
    const { run } = frame;
    const items = itemsOf(frame, value);
    if (items.length === 0) return otherwise(frame.inner());
    const recurse = node.recursive
      ? (more: unknown) => run.deeper(() => run.capture(() => execute(frame, more, depth + 1)))
      : undefined;
    const loop = readsLoop ? new Loop(items, depth, run.undefinedMode, recurse) : undefined;
    let inner = frame.inner();
    // The length is read on every turn: a body may append to the list it goes through.
    for (let i = 0; i < items.length; i++) {
      run.budget.step(TURN_STEPS);
      if (sharesFrame) inner.reset();
      else inner = frame.inner();
      assign(inner, items[i]);
      if (loop !== undefined) {
        loop.index0 = i;
        inner.set('loop', loop);
      }
      body(inner);
    }
  };
  return (frame) => execute(frame, iterable(frame), 1);
}

/** Assigns a value to a target, unpacking it where the target is a tuple. */
function compileTarget(target: ast.Target): (frame: Frame, value: unknown) => void {
  switch (target.kind) {
    case 'name-target': {
      const { name } = target;
      return (frame, value) => frame.set(name, value);
    }
    case 'attribute-target': {
      const { object, name, at } = target;
      return (frame, value) => {
        frame.run.at = at;
        const owner = frame.get(object);
        if (owner instanceof Undefined) throw owner.fault();
        if (!(owner instanceof Namespace)) {
          throw typeFault(
            `'${object}' is ${typeName(owner)}, and only a namespace can be changed.`,
            `Make it one: {% set ${object} = namespace() %}.`,
          );
        }
        owner.set(name, value);
      };
    }
    case 'tuple-target': {
      const parts = target.items.map(compileTarget);
      return (frame, value) => {
        frame.run.at = target.at;
        if (!isIterable(value)) throw typeFault(`${typeName(value)} cannot be unpacked into ${parts.length} names.`);
        const items = iterate(value, frame.run.budget);
        if (items.length !== parts.length) {
          throw valueFault(`${items.length} values cannot be unpacked into ${parts.length} names.`);
        }
        parts.forEach((assign, i) => {
          assign(frame, items[i]);
        });
      };
    }
  }
}

function compileSetBlock(node: ast.SetBlock, context: CompileContext): Execute {
  const assign = compileTarget(node.target);
  const body = compileBody(node.body, context);
  const captured: Evaluate = (frame) => frame.run.capture(() => body(frame.inner()));
  const value = node.filter === undefined ? captured : compileFilter(node.filter, context, captured);
  return (frame) => assign(frame, value(frame));
}

function macroDefinition(
  name: string,
  parameters: readonly ast.Parameter[],
  body: readonly ast.Statement[],
  context: CompileContext,
): MacroDefinition {
  const reads = (word: string) => someExpression(body, (node) => node.kind === 'name' && node.name === word);
  const own = (word: string) => parameters.some((parameter) => parameter.name === word);
  return {
    name,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      fallback: parameter.fallback === undefined ? undefined : compileExpression(parameter.fallback, context),
    })),
    body: compileBody(body, context),
    readsVarargs: reads('varargs') && !own('varargs'),
    readsKwargs: reads('kwargs') && !own('kwargs'),
    readsCaller: reads('caller') && !own('caller'),
  };
}

function compileCallBlock(node: ast.CallBlock, context: CompileContext): Execute {
  const definition = macroDefinition('caller', node.parameters, node.body, context);
  const { callee, at } = node.call;
  const args = compileArguments(node.call.args, (argument) => compileExpression(argument, context));
  const path = context.textOf(callee);
  const method = callee.kind === 'attribute' ? callee : undefined;
  const target = compileExpression(method?.object ?? callee, context);
  return (frame) => {
    const { run } = frame;
    const value = target(frame);
    const given = args(frame);
    const withCaller = { ...given, named: new Map(given.named).set('caller', new Macro(definition, frame)) };
    run.at = at;
    run.print(
      method === undefined
        ? callValue(run, value, withCaller, path)
        : callMethod(run, value, method.name, withCaller, path),
    );
  };
}

function compileWith(node: ast.With, outer: CompileContext, context: CompileContext): Execute {
  const assignments = node.assignments.map(({ target, value }) => ({
    assign: compileTarget(target),
    value: compileExpression(value, outer),
  }));
  const body = compileBody(node.body, context);
  return (frame) => {
    const inner = frame.inner();
    // The values see the names outside, not each other.
    for (const { assign, value } of assignments) assign(inner, value(frame));
    body(inner);
  };
}
