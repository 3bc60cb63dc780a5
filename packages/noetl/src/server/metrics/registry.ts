/** Numbers about a process in the text format of Prometheus. */
export interface Registry {
  /** Counts up, by the values of its labels in their order. */
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** Amounts, by how many are at most as large as each of the bounds. */
  histogram(name: string, help: string, bounds: readonly number[], labels?: readonly string[]): Histogram;
  /** Is read when somebody looks. */
  gauge(name: string, help: string, read: () => Iterable<Sample>, labels?: readonly string[]): void;
  /** The same, of something that is counted by who does it and never becomes less. */
  countedElsewhere(name: string, help: string, read: () => Iterable<Sample>, labels?: readonly string[]): void;
  /** What there is now, with a line for each series. */
  text(): string;
}

interface Counter {
  add(values?: readonly string[], by?: number): void;
}

interface Histogram {
  observe(amount: number, values?: readonly string[]): void;
}

interface Sample {
  readonly values?: readonly string[];
  readonly amount: number;
}

/** A metric has so many series at most; what would be one more counts with those whose labels are all `other`. */
const MOST_SERIES = 1_000;
const OTHER = 'other';

interface Spread {
  /** One for each bound, and one for what is larger than all. */
  readonly counts: number[];
  sum: number;
}

export function createRegistry(): Registry {
  const metrics: (() => readonly string[])[] = [];

  function describe(name: string, help: string, type: string, series: () => readonly string[]): void {
    metrics.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...series()]);
  }

  return {
    counter(name, help, labels = []) {
      const counts = seriesOf(labels, () => ({ count: 0 }));
      // A counter without labels is there before it has counted anything, so that its first step is seen.
      if (labels.length === 0) counts.of([]);
      describe(name, help, 'counter', () =>
        counts.all().map(({ values, held }) => line(name, labels, values, held.count)),
      );
      return {
        add(values = [], by = 1) {
          counts.of(values).count += by;
        },
      };
    },
    histogram(name, help, bounds, labels = []) {
      const spreads = seriesOf<Spread>(labels, () => ({ counts: new Array(bounds.length + 1).fill(0), sum: 0 }));
      if (labels.length === 0) spreads.of([]);
      describe(name, help, 'histogram', () =>
        spreads.all().flatMap(({ values, held }) => spreadLines(name, labels, values, bounds, held)),
      );
      return {
        observe(amount, values = []) {
          const spread = spreads.of(values);
          const nth = bounds.findIndex((bound) => amount <= bound);
          const at = nth === -1 ? bounds.length : nth;
          spread.counts[at] = (spread.counts[at] ?? 0) + 1;
          spread.sum += amount;
        },
      };
    },
    gauge: (name, help, read, labels = []) => describe(name, help, 'gauge', () => readLines(name, read, labels)),
    countedElsewhere: (name, help, read, labels = []) =>
      describe(name, help, 'counter', () => readLines(name, read, labels)),
    text: () => `${metrics.flatMap((lines) => lines()).join('\n')}\n`,
  };
}

function readLines(name: string, read: () => Iterable<Sample>, labels: readonly string[]): readonly string[] {
  const amounts = seriesOf(labels, () => ({ amount: 0 }));
  for (const { values = [], amount } of read()) amounts.of(values).amount += amount;
  return amounts.all().map(({ values, held }) => line(name, labels, values, held.amount));
}

interface Series<Held> {
  of(values: readonly string[]): Held;
  all(): readonly { readonly values: readonly string[]; readonly held: Held }[];
}

function seriesOf<Held>(labels: readonly string[], begin: () => Held): Series<Held> {
  const known = new Map<string, { readonly values: readonly string[]; readonly held: Held }>();
  const others = labels.map(() => OTHER);
  return {
    of(given) {
      const key = JSON.stringify(given);
      const found = known.get(key);
      if (found !== undefined) return found.held;
      const isFull = known.size >= MOST_SERIES - 1;
      const values = isFull ? others : given;
      const place = isFull ? JSON.stringify(others) : key;
      const held = known.get(place)?.held ?? begin();
      known.set(place, { values, held });
      return held;
    },
    all: () => [...known.values()],
  };
}

function spreadLines(
  name: string,
  labels: readonly string[],
  values: readonly string[],
  bounds: readonly number[],
  { counts, sum }: Spread,
): readonly string[] {
  let count = 0;
  const buckets = counts.map((some, nth) => {
    count += some;
    return line(`${name}_bucket`, [...labels, 'le'], [...values, `${bounds[nth] ?? '+Inf'}`], count);
  });
  return [...buckets, line(`${name}_sum`, labels, values, sum), line(`${name}_count`, labels, values, count)];
}

function line(name: string, labels: readonly string[], values: readonly string[], amount: number): string {
  const pairs = labels.map((label, nth) => `${label}="${escaped(values[nth] ?? '')}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${amount}`;
}

const escaped = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
