/** Progress of long work: a bar on a terminal, a line at every tenth elsewhere. */
import { SingleBar } from 'cli-progress';

/** Where a command writes: a terminal or any other stream. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Progress {
  /** `count` more are done; of rows also how many bytes they took. */
  add(count: number, bytes?: number): void;
  stop(): void;
}

/** What is counted. */
export interface Work {
  /** What the bar is called; of rows their name in the plural. */
  readonly what: string;
  /** More than 0. */
  readonly total: number;
  readonly unit: 'rows' | 'bytes';
  /** What else is shown, behind the rate. */
  readonly tail?: () => string;
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
export const formatCount = (value: number): string => number.format(value);

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** "1.2 GB": three digits at least, in steps of a thousand. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 999.5 && step < UNITS.length - 1) {
    value /= 1000;
    step++;
  }
  return `${step === 0 || value >= 99.5 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[step]}`;
}

/** `elapsedMs`: a clock that never goes back. */
export function startProgress(out: Output, work: Work, elapsedMs: () => number): Progress {
  const rates = ratesOf(work, elapsedMs);
  return out.isTTY === true ? drawBar(out, work, rates) : writeTenths(out, work, rates);
}

/** Nothing is drawn. */
export const NO_PROGRESS: Progress = { add() {}, stop() {} };

/** A bar on a terminal and nothing elsewhere: of commands whose whole output is their answer. */
export function startBar(out: Output, work: Work, elapsedMs: () => number): Progress {
  return out.isTTY === true && work.total > 0 ? startProgress(out, work, elapsedMs) : NO_PROGRESS;
}

/** Adds up, and says how fast it goes. */
type Rates = (count: number, bytes: number) => { readonly done: number; readonly rate: string };

function ratesOf({ what, unit, tail }: Work, elapsedMs: () => number): Rates {
  const startMs = elapsedMs();
  let done = 0;
  let bytesDone = 0;
  return (count, bytes) => {
    done += count;
    bytesDone += unit === 'bytes' ? count : bytes;
    const seconds = Math.max((elapsedMs() - startMs) / 1000, 0.001);
    const speed = `${(bytesDone / seconds / 1e6).toFixed(1)} MB/s`;
    const rate = unit === 'bytes' ? speed : `${formatCount(done / seconds)} ${what}/s | ${speed}`;
    return { done, rate: tail === undefined ? rate : `${rate} | ${tail()}` };
  };
}

const formatOf = ({ unit }: Work): ((value: number) => string) =>
  unit === 'bytes' ? formatBytes : formatCount;

function drawBar(out: Output, work: Work, rates: Rates): Progress {
  const format = formatOf(work);
  const bar = new SingleBar({
    stream: out,
    format: `  ${work.what} {bar} {percentage}% | {value}/{total} | {rate}`,
    // Of other types it may be a text.
    formatValue: (value, _options, type) =>
      type === 'value' || type === 'total' ? format(value) : String(value),
    barCompleteChar: '#',
    barIncompleteChar: '.',
    barsize: 30,
    hideCursor: true,
  });
  bar.start(work.total, 0, { rate: '' });
  return {
    add(count, bytes = 0) {
      const { done, rate } = rates(count, bytes);
      bar.update(Math.min(done, work.total), { rate });
    },
    stop: () => bar.stop(),
  };
}

function writeTenths(out: Output, work: Work, rates: Rates): Progress {
  const format = formatOf(work);
  let tenthsShown = 0;
  return {
    add(count, bytes = 0) {
      const { done, rate } = rates(count, bytes);
      const tenths = Math.floor((done * 10) / work.total);
      if (tenths === tenthsShown) return;
      tenthsShown = tenths;
      out.write(`  ${work.what}: ${format(done)} of ${format(work.total)} | ${rate}\n`);
    },
    stop() {},
  };
}
