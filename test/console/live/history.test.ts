/** The history of the live view, read from a server that makes samples and restarts. */
import t from 'tap';
import { isYoung, newest, readHistory, type StatsHistory } from '../../../src/console/live/history.js';

const HOUR_SAMPLES = 3_600;

/** The history of a server that made `last` samples, one a second; sample N has the value N in every column. */
function historyOf(started: string, last: number, path: string): StatsHistory {
  const after = Number(new URL(path, 'https://x').searchParams.get('after') ?? 0);
  const first = Math.max(after, last - HOUR_SAMPLES);
  const numbers = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at + 1);
  const names = ['unix-seconds', 'entities-per-second', 'values-per-second', 'queries-per-second'];
  const columns = [...names, 'median-seconds', 'p95-seconds', 'memory-bytes'].map((name) => [name, numbers]);
  return { started, 'interval-seconds': 1, last, samples: Object.fromEntries(columns) };
}

t.test('readings one after the other have the samples that one reading has', async (t) => {
  let history: StatsHistory | null = null;
  const paths: string[] = [];
  for (const [started, last] of [
    ['a', 0],
    ['a', 2],
    ['a', 2],
    ['a', 3_599],
    ['a', 3_700],
    ['b', 5],
    ['b', 9_000],
  ] as const) {
    const get = async (path: string): Promise<StatsHistory> => {
      paths.push(path);
      return historyOf(started, last, path);
    };
    history = await readHistory(get, history);
    t.strictSame(history, historyOf(started, last, '/metrics/history'), `${started} ${last}`);
    t.equal(isYoung(history), last < HOUR_SAMPLES);
    t.equal(newest(history, 'memory-bytes'), last === 0 ? null : last);
  }
  t.strictSame(
    paths.map((path) => path.replace('/metrics/history', '')),
    ['', '?after=0', '?after=2', '?after=2', '?after=3599', '?after=3700', '', '?after=5'],
  );
});
