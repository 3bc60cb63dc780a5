/**
 * EVT-2, TOOL-1: the trace of an execution that was asked for without one, as W3C Trace Context writes it: 32 hexadecimal
 * digits, not all zero. It follows from the execution's id (ENG-1): FNV-1a with 128 bits.
 */
export function traceIdOf(execution: string): string {
  let hash = OFFSET;
  for (let at = 0; at < execution.length; at++) {
    hash = ((hash ^ BigInt(execution.charCodeAt(at))) * PRIME) & MASK;
  }
  return (hash === 0n ? 1n : hash).toString(16).padStart(32, '0');
}

const OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x1000000000000000000013bn;
const MASK = (1n << 128n) - 1n;
