import type { Span } from './node.ts';
import type { ReaderCore } from './reader-core.ts';

/** The keys of one mapping: each once, and none that would reach a prototype. */
export class KeySet {
  private readonly keys = new Set<string>();
  private readonly core: ReaderCore;

  constructor(core: ReaderCore) {
    this.core = core;
  }

  add(key: string, span: Span): void {
    if (this.keys.has(key)) {
      throw this.core.fail(
        'NOETL_YAML_DUPLICATE_KEY',
        `the key '${key}' stands in this mapping twice`,
        span,
        'Keep one of them; YAML readers differ in which one wins.',
      );
    }
    if (key === '__proto__') {
      throw this.core.fail(
        'NOETL_YAML_UNSUPPORTED',
        "the key '__proto__' is not allowed",
        span,
        'Choose another name.',
      );
    }
    if (key === '<<') {
      throw this.core.fail(
        'NOETL_YAML_UNSUPPORTED',
        "merge keys ('<<') are not supported",
        span,
        'Repeat the keys, or put what is shared into executor.spec or the workbook.',
      );
    }
    this.keys.add(key);
  }
}
