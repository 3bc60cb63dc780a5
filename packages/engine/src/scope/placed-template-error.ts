import type { Place } from '@noetl/playbook';
import type { TemplateError } from '@noetl/template';

/** A template that could not be evaluated, and where in the playbook's file it failed. */
export class PlacedTemplateError extends Error {
  override readonly name = 'PlacedTemplateError';
  override readonly cause: TemplateError;
  readonly place: Place;

  constructor(cause: TemplateError, place: Place) {
    super(cause.message);
    this.cause = cause;
    this.place = place;
  }
}
