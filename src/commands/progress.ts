/** Shows the progress of long work: a bar on a terminal, a line at every tenth elsewhere. */
import { SingleBar } from 'cli-progress';

/** The output of a command: a terminal or another stream. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Progress {
  /** Adds `count` done items; for rows also their bytes. */
  add(count: number, bytes?: number): void;
  /** Calls `write`, which writes whole lines, so that they do not mix with a bar. */
  aside(write: () => void): void;
  stop(): void;
}

/** The work whose progress is shown. */
export interface Work {
  /** The title of the bar, or the plural noun for the rows. */
  readonly what: string;
  /** More than 0. */
  readonly total: number;
  readonly unit: 'rows' | 'bytes';
  /** Further text after the rate. */
  readonly tail?: () => string;
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
export const formatCount = (value: number): string => number.format(value);

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats bytes in decimal units, such as "1.2 GB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 999.5 && step < UNITS.length - 1) {
    value /= 1000;
    step++;
  }
  return `${step === 0 || value >= 99.5 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[step]}`;
}

/** `elapsedMs` reads a monotonic clock. */
export function startProgress(out: Output, work: Work, elapsedMs: () => number): Progress {
  const rates = ratesOf(work, elapsedMs);
  return out.isTTY === true ? drawBar(out, work, rates) : writeTenths(out, work, rates);
}

/** Draws nothing. */
export const NO_PROGRESS: Progress = { add() {}, aside: (write) => write(), stop() {} };

/** A bar on a terminal, nothing elsewhere: for commands whose output is only their answer. */
export function startBar(out: Output, work: Work, elapsedMs: () => number): Progress {
  return out.isTTY === true && work.total > 0 ? startProgress(out, work, elapsedMs) : NO_PROGRESS;
}

/** Adds to the totals and returns them with the rate. */
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
    // For other types the value may be a text.
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
    aside(write) {
      out.write('\r\x1b[K');
      write();
      bar.render();
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
    aside: (write) => write(),
    stop() {},
  };
}
