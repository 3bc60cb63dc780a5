import { errorLine } from './error-line.ts';
import { failurePlace, placedError } from './failure-place.ts';
import type { Failure } from './failures.ts';
import { type Line, tinted } from './line.ts';
import { type Places, placeText } from './places.ts';

/** `at etl.yaml:20:9, attempt 3: http.status: 503 Service Unavailable` */
export function failureLine(failure: Failure, places: Places | undefined): Line {
  const place = failurePlace(failure, places);
  const { attempt, arc, error } = failure;
  const about = [
    ...(place === undefined || places === undefined ? [] : [`at ${placeText(places.file, place)}`]),
    ...(attempt === undefined || attempt === 1 ? [] : [`attempt ${attempt}`]),
    ...(arc === undefined ? [] : [`arc ${arc + 1}`]),
  ];
  return [
    tinted('dim', about.join(', ')),
    about.length === 0 ? '' : ': ',
    errorLine(place === undefined ? error : placedError(error)),
  ];
}
