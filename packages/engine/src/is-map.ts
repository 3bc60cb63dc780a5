import type { Json, JsonMap } from '@noetl/playbook';

export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
