/** Milliseconds since 1970-01-01T00:00:00Z. The pure core has no clock: instants come in with inputs. */
export type Instant = number;

const DAY = 86_400_000;

/** The last instant that a timestamp can name: what lies behind it is as good as never. */
const LAST: Instant = 253_402_300_799_999;

/** RFC 3339 in UTC with milliseconds (EVT-1), for the years 0 to 9999. */
export function timestampOf(given: Instant): string {
  const instant = Math.min(given, LAST);
  const days = Math.floor(instant / DAY);
  const time = instant - days * DAY;
  const [hours, minutes, seconds] = [Math.floor(time / 3_600_000), Math.floor(time / 60_000), Math.floor(time / 1000)];
  const clock = `${padded(hours, 2)}:${padded(minutes % 60, 2)}:${padded(seconds % 60, 2)}`;
  return `${dateOf(days)}T${clock}.${padded(Math.floor(time) % 1000, 3)}Z`;
}

/** Every event is stamped, and nearly all with the day of the one before. */
let newest = { days: Number.NaN, date: '' };

function dateOf(days: number): string {
  if (days !== newest.days) {
    const { year, month, day } = civilDate(days);
    newest = { days, date: `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}` };
  }
  return newest.date;
}

/** The instant of a timestamp as `timestampOf` writes it. */
export function instantOf(timestamp: string): Instant {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0] = timestamp
    .split(/[^0-9]+/, 7)
    .map(Number);
  return dayNumber(year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + milli;
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The instant of any RFC 3339 timestamp; undefined for other text. */
export function parseTimestamp(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = '.0', sign, hours = '0', minutes = '0'] = match;
  const local = instantOf(`${date}T${time}.${fraction.slice(1, 4).padEnd(3, '0')}Z`);
  // A day or an hour that does not exist comes back as another one.
  if (timestampOf(local).slice(0, 19) !== `${date}T${time}`) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === undefined ? local : sign === '+' ? local - offset : local + offset;
}

const padded = (value: number, width: number): string => String(value).padStart(width, '0');

/**
 * The proleptic Gregorian calendar, counted in 400-year eras that begin on the first of March, so that the leap day is
 * the last of its year.
 */
function civilDate(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function dayNumber(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + ofYear - 719_468;
}
