import type { Condition, Json, TemplateData, Templated } from '@noetl/playbook';
import { type RunOptions, type Scope, TemplateError } from '@noetl/template';
import { PlacedTemplateError } from './placed-template-error.ts';

/** TPL-1: data with its templates evaluated, deeply. Throws a PlacedTemplateError. */
export function render(data: Templated, scope: Scope, run: RunOptions): Json {
  switch (data.kind) {
    case 'literal':
      return data.value;
    case 'template':
      return evaluate(data, scope, run) as Json;
    case 'list':
      return data.items.map((item) => render(item, scope, run));
    case 'map':
      return Object.fromEntries(data.entries.map(([key, value]) => [key, render(value, scope, run)]));
  }
}

/** TPL-4: an undefined condition is false, an error is an error and never "false". Throws a PlacedTemplateError. */
export function holds(condition: Condition, scope: Scope, run: RunOptions): boolean {
  if (condition.kind === 'constant') return condition.value;
  return isTrue(evaluate(condition, scope, run) as Json | undefined);
}

function evaluate({ template, placeAt }: TemplateData, scope: Scope, run: RunOptions): unknown {
  try {
    return template.evaluate(scope, run);
  } catch (error) {
    throw error instanceof TemplateError ? new PlacedTemplateError(error, placeAt(error.offset)) : error;
  }
}

/** Python's truth, on JSON. */
function isTrue(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
