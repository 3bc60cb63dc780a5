/** `349 ms`, `11.0 s`, `2 min 05 s`, `1 h 02 min`, `3 d 04 h`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return longDuration(Math.round(ms / 1000));
}

/** The same in whole seconds, for times that are watched. */
export const seconds = (ms: number): string => {
  const whole = Math.max(0, Math.floor(ms / 1000));
  return whole < 60 ? `${whole} s` : longDuration(whole);
};

function longDuration(whole: number): string {
  const padded = (value: number) => String(value).padStart(2, '0');
  const [minutes, hours, days] = [Math.floor(whole / 60), Math.floor(whole / 3600), Math.floor(whole / 86_400)];
  if (hours === 0) return `${minutes} min ${padded(whole % 60)} s`;
  if (days === 0) return `${hours} h ${padded(minutes % 60)} min`;
  return `${days} d ${padded(hours % 24)} h`;
}

/** `100,000` */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 step`, `2 steps` */
export const things = (count: number, thing: string, plural = `${thing}s`): string =>
  `${grouped(count)} ${count === 1 ? thing : plural}`;
