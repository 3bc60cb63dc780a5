import type { OutcomeError } from '@noetl/engine';
import { abridged, visible } from './visible.ts';

/** How much of a message has room on a line. */
const LINE = 300;

/** `http.status: 503 Service Unavailable` */
export const errorLine = ({ kind, message }: OutcomeError, limit = LINE): string =>
  visible(abridged(message === '' ? kind : `${kind}: ${message}`, limit));
