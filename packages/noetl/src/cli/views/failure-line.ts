import { errorLine } from './error-line.ts';
import type { Failure } from './failures.ts';
import { type Line, tinted } from './line.ts';
import { type Places, placeText } from './places.ts';

/** The place, if it is known; undefined for failures that no step has. */
function failurePlace({ step, label, arc }: Failure, places: Places | undefined): string | undefined {
  const place = step === undefined ? undefined : places?.find(step, { label, arc });
  return place === undefined || places === undefined ? undefined : placeText(places.file, place);
}

/** `at etl.yaml:20:9, attempt 3: http.status: 503 Service Unavailable` */
export function failureLine(failure: Failure, places: Places | undefined): Line {
  const place = failurePlace(failure, places);
  const { attempt, arc, error } = failure;
  const about = [
    ...(place === undefined ? [] : [`at ${place}`]),
    ...(attempt === undefined || attempt === 1 ? [] : [`attempt ${attempt}`]),
    ...(arc === undefined ? [] : [`arc ${arc + 1}`]),
  ];
  return [tinted('dim', about.join(', ')), about.length === 0 ? '' : ': ', errorLine(error)];
}
