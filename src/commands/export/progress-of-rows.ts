/** Shows the progress of an export on standard error: a bar if the number of rows is known, otherwise a count. */
import {
  formatBytes,
  formatCount,
  NO_PROGRESS,
  type Output,
  type Progress,
  startProgress,
} from '../progress.js';

const SHOWN_EVERY_MS = 200;

export interface RowProgress extends Progress {
  /** Writes the last line: rows, seconds, rate and target. */
  end(bytesWritten: number, where: string): void;
}

/** `total` is null when it is unknown. */
export function rowProgress(out: Output, total: number | null, elapsedMs: () => number): RowProgress {
  const startMs = elapsedMs();
  const inner =
    total === null || total === 0
      ? countUp(out, elapsedMs)
      : startProgress(out, { what: 'rows', total, unit: 'rows' }, elapsedMs);
  let rows = 0;
  return {
    add(count, bytes) {
      rows += count;
      inner.add(count, bytes);
    },
    aside: (write) => inner.aside(write),
    stop: () => inner.stop(),
    end(bytesWritten, where) {
      inner.stop();
      const seconds = Math.max((elapsedMs() - startMs) / 1000, 0.001);
      const rate = `${seconds.toFixed(1)} s, ${formatCount(rows / seconds)} rows/s`;
      out.write(`${formatCount(rows)} rows, ${formatBytes(bytesWritten)} to ${where} (${rate})\n`);
    },
  };
}

/** Rewrites one line on a terminal; writes nothing elsewhere. */
function countUp(out: Output, elapsedMs: () => number): Progress {
  if (out.isTTY !== true) return NO_PROGRESS;
  let rows = 0;
  let shownMs = elapsedMs();
  let shown = false;
  return {
    add(count) {
      rows += count;
      if (elapsedMs() - shownMs < SHOWN_EVERY_MS) return;
      shownMs = elapsedMs();
      shown = true;
      out.write(`\r  ${formatCount(rows)} rows\x1b[K`);
    },
    aside(write) {
      if (shown) out.write('\r\x1b[K');
      write();
    },
    stop() {
      if (shown) out.write('\r\x1b[K');
    },
  };
}
