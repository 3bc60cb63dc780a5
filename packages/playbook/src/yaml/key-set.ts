import type { Span } from './node.ts';
import type { ReaderCore } from './reader-core.ts';
import type { YamlErrorCode } from './yaml-error.ts';

/** In so few keys looking at each is faster than a set. */
const FEW = 8;

/** The keys of one mapping: each once, and none that would reach a prototype. Others are noted and left out. */
export class KeySet {
  private readonly few: string[] = [];
  private many: Set<string> | undefined;
  private readonly core: ReaderCore;

  constructor(core: ReaderCore) {
    this.core = core;
  }

  /** Whether the key may stand in the mapping. */
  add(key: string, span: Span): boolean {
    if (this.has(key)) {
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
    this.remember(key);
    return true;
  }

  private has(key: string): boolean {
    return this.many?.has(key) ?? this.few.includes(key);
  }

  private remember(key: string): void {
    if (this.many === undefined && this.few.push(key) > FEW) this.many = new Set(this.few);
    else this.many?.add(key);
  }

  private refuse(code: YamlErrorCode, message: string, span: Span, hint: string): false {
    this.core.note(this.core.fail(code, message, span, hint));
    return false;
  }
}
