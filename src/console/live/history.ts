/** The statistics of the last hour, which the server has; readings add the samples that it made since. */
import type { answers } from '../../interface/index.js';

export type StatsHistory = answers.StatsHistory;
type Samples = StatsHistory['samples'];

const HOUR_SECONDS = 3_600;
const PATH = '/metrics/history';

/** `get` reads a path of the server. `before`: the history as it was read before; null = it was not. */
export async function readHistory(
  get: (path: string) => Promise<StatsHistory>,
  before: StatsHistory | null,
): Promise<StatsHistory> {
  if (before === null) return get(PATH);
  const newer = await get(`${PATH}?after=${before.last}`);
  // After a restart the numbers of samples begin anew.
  if (newer.started !== before.started) return get(PATH);
  if (newer.last === before.last) return before;
  const samplesMax = HOUR_SECONDS / newer['interval-seconds'];
  const joined = Object.entries(newer.samples).map(([name, values]) => [
    name,
    [...before.samples[name as keyof Samples], ...values].slice(-samplesMax),
  ]);
  return { ...newer, samples: Object.fromEntries(joined) };
}

/** Whether the server has run for less than the time of the history. */
export const isYoung = ({ last, 'interval-seconds': seconds }: StatsHistory): boolean =>
  last * seconds < HOUR_SECONDS;

/** The newest value of a column; null = there is none. */
export const newest = ({ samples }: StatsHistory, name: keyof Samples): number | null =>
  samples[name].at(-1) ?? null;
