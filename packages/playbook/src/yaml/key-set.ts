import type { Span } from './node.ts';
import type { ReaderCore } from './reader-core.ts';
import type { YamlErrorCode } from './yaml-error.ts';

/** The keys of one mapping: each once, and none that would reach a prototype. Others are noted and left out. */
export class KeySet {
  private readonly keys = new Set<string>();
  private readonly core: ReaderCore;

  constructor(core: ReaderCore) {
    this.core = core;
  }

  /** Whether the key may stand in the mapping. */
  add(key: string, span: Span): boolean {
    if (this.keys.has(key)) {
      return this.refuse(
        'NOETL_YAML_DUPLICATE_KEY',
        `the key '${key}' stands in this mapping twice`,
        span,
        'Keep one of them; YAML readers differ in which one wins.',
      );
    }
    if (key === '__proto__') {
      return this.refuse('NOETL_YAML_UNSUPPORTED', "the key '__proto__' is not allowed", span, 'Choose another name.');
    }
    if (key === '<<') {
      return this.refuse(
        'NOETL_YAML_UNSUPPORTED',
        "merge keys ('<<') are not supported",
        span,
        'Repeat the keys, or put what is shared into executor.spec or the workbook.',
      );
    }
    this.keys.add(key);
    return true;
  }

  private refuse(code: YamlErrorCode, message: string, span: Span, hint: string): false {
    this.core.note(this.core.fail(code, message, span, hint));
    return false;
  }
}
