/** Reads the text format of Prometheus, as /metrics writes it. */

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

export const sumOf = (samples: readonly Sample[], name: string): number =>
  samples.reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0);
