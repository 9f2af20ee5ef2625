/** Reads the text format of Prometheus, as /metrics writes it, and computes statistics between two readings. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (match === null) return [];
    const [, name, labels = '', value] = match;
    const pairs = [...labels.matchAll(LABEL)].map(([, label, content]) => [
      label,
      content.replace(/\\(.)/g, '$1'),
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: numberOf(value) }];
  });
}

const numberOf = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);

export const sumOf = (
  samples: readonly Sample[],
  name: string,
  counts: (labels: Sample['labels']) => boolean = () => true,
): number =>
  samples.reduce(
    (sum, sample) => (sample.name === name && counts(sample.labels) ? sum + sample.value : sum),
    0,
  );

/** Requests that read rows. */
export const isQuery = ({ endpoint = '' }: Sample['labels']): boolean =>
  /\/v1\/(query|data_extraction|sql)/.test(endpoint);

/**
 * Upper bound, in seconds, of the bucket that contains the quantile `share` of the observations between two readings; null =
 * there were none. For observations above the last bound, the last bound.
 */
export function quantileBetween(
  before: readonly Sample[],
  after: readonly Sample[],
  name: string,
  share: number,
): number | null {
  const counts = new Map<number, number>();
  const add = (samples: readonly Sample[], sign: number): void => {
    for (const sample of samples) {
      if (sample.name !== `${name}_bucket` || !isQuery(sample.labels)) continue;
      const bound = numberOf(sample.labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + sign * sample.value);
    }
  };
  add(after, 1);
  add(before, -1);
  const bounds = [...counts.keys()].sort((a, b) => a - b);
  const total = counts.get(Number.POSITIVE_INFINITY) ?? 0;
  if (total <= 0) return null;
  const met = bounds.find((bound) => (counts.get(bound) ?? 0) >= share * total);
  return met === undefined || met === Number.POSITIVE_INFINITY ? (bounds.at(-2) ?? null) : met;
}
