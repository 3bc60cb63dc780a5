/** One line of points over a logarithmic axis, with a second one over the same axis drawn in another colour. */
export interface Plot {
  readonly title: string;
  readonly x: { readonly label: string; readonly values: readonly number[] };
  readonly lines: readonly { readonly label: string; readonly values: readonly number[] }[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = 70;
const TOP = 40;
const BOTTOM = 50;
const COLOURS = ['#1f6feb', '#bf4b00'];

/** A plot as SVG that reads on light and dark pages: each line has a scale from 0 of its own, one left, one right. */
export function plotted({ title, x, lines }: Plot): string {
  const logs = x.values.map(Math.log10);
  const [first, last] = [logs[0] ?? 0, logs.at(-1) ?? 1];
  const atX = (log: number): number => LEFT + ((log - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const parts = logs.map((log, nth) =>
    text(atX(log), HEIGHT - BOTTOM + 18, abridged(x.values[nth] ?? 0), { anchor: 'middle' }),
  );
  lines.forEach(({ label, values }, nth) => {
    const top = roundedUp(Math.max(...values));
    const atY = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
    const colour = COLOURS[nth] ?? 'currentColor';
    const side = nth === 0 ? LEFT - 8 : WIDTH - RIGHT + 8;
    const anchor = nth === 0 ? 'end' : 'start';
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const y = atY(top * share);
      if (nth === 0) parts.push(`<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="#8888" stroke-width="0.5"/>`);
      parts.push(text(side, y + 4, abridged(top * share), { anchor, colour }));
    }
    const points = values.map((value, at) => `${atX(logs[at] ?? 0).toFixed(1)},${atY(value).toFixed(1)}`);
    parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const point of points) {
      const [cx, cy] = point.split(',');
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`);
    }
    parts.push(text(nth === 0 ? LEFT : WIDTH - RIGHT, TOP - 8, label, { anchor: nth === 0 ? 'start' : 'end', colour }));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text(WIDTH / 2, 18, title, { anchor: 'middle' })}
${parts.join('\n')}
${text(WIDTH / 2, HEIGHT - 10, x.label, { anchor: 'middle' })}
</svg>
`;
}

const text = (
  x: number,
  y: number,
  content: string,
  { anchor, colour = '#333' }: { readonly anchor: string; readonly colour?: string },
): string => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${content}</text>`;

/** The next of 1, 2, 5, 10, … */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function abridged(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  return value >= 1_000 ? `${value / 1_000} k` : String(value);
}
