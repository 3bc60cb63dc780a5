import type { MapEntry, Span } from './node.ts';
import type { ReaderCore } from './reader-core.ts';
import type { YamlErrorCode } from './yaml-error.ts';

/** In so few entries looking at each is faster than a set of their keys. */
const FEW = 8;

/** The keys of one mapping: each once, and none that would reach a prototype. Others are noted and left out. */
export class KeySet {
  private readonly core: ReaderCore;
  private readonly entries: readonly MapEntry[];
  private many: Set<string> | undefined;

  /** `entries` are those of the mapping so far. */
  constructor(core: ReaderCore, entries: readonly MapEntry[]) {
    this.core = core;
    this.entries = entries;
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
    this.many?.add(key);
    return true;
  }

  private has(key: string): boolean {
    if (this.entries.length > FEW) {
      this.many ??= new Set(this.entries.map((entry) => entry.key));
      return this.many.has(key);
    }
    return this.entries.some((entry) => entry.key === key);
  }

  private refuse(code: YamlErrorCode, message: string, span: Span, hint: string): false {
    this.core.note(this.core.fail(code, message, span, hint));
    return false;
  }
}
