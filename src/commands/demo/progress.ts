/** Progress of one load: a bar on a terminal, a line at every tenth elsewhere. */
import { SingleBar } from 'cli-progress';

/** Where the demo writes: a terminal or any other stream. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Progress {
  /** `rows` more rows and `bytes` more bytes of JSON are in. */
  add(rows: number, bytes: number): void;
  stop(): void;
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
export const formatCount = (value: number): string => number.format(value);

/** `elapsedMs`: a clock that never goes back. `what`: the rows' name in the plural. */
export function startProgress(out: Output, what: string, total: number, elapsedMs: () => number): Progress {
  const startMs = elapsedMs();
  let rows = 0;
  let bytes = 0;
  const rates = (): { rate: string; speed: string } => {
    const seconds = Math.max((elapsedMs() - startMs) / 1000, 0.001);
    return {
      rate: `${formatCount(rows / seconds)} ${what}/s`,
      speed: `${(bytes / seconds / 1e6).toFixed(1)} MB/s`,
    };
  };
  if (out.isTTY === true) {
    const bar = new SingleBar({
      stream: out,
      format: `  ${what} {bar} {percentage}% | {value}/{total} | {rate} | {speed}`,
      formatValue: (value, _options, type) => (type === 'percentage' ? String(value) : formatCount(value)),
      barCompleteChar: '#',
      barIncompleteChar: '.',
      barsize: 30,
      hideCursor: true,
    });
    bar.start(total, 0, rates());
    return {
      add(moreRows, moreBytes) {
        rows += moreRows;
        bytes += moreBytes;
        bar.update(rows, rates());
      },
      stop: () => bar.stop(),
    };
  }
  let tenthsShown = 0;
  return {
    add(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      const tenths = Math.floor((rows * 10) / total);
      if (tenths === tenthsShown) return;
      tenthsShown = tenths;
      const { rate, speed } = rates();
      out.write(`  ${what}: ${formatCount(rows)} of ${formatCount(total)} | ${rate} | ${speed}\n`);
    },
    stop() {},
  };
}
