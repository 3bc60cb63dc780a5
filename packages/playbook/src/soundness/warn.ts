import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Place } from '../model/templated.ts';

/** Reports a warning at a place of the model; `length` is that of the text to mark. */
export type Warn = (code: DiagnosticCode, place: Place, length: number, message: string, hint: string) => void;
