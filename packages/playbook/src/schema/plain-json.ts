import type { Json } from '../model/json.ts';
import type { YamlNode } from '../yaml/node.ts';

/** The document as data, without its places. */
export function plainJson(node: YamlNode): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainJson);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainJson(value)]));
  }
}
