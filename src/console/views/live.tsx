/** Statistics of the server while the view is open: writes, response times, memory, log and checkpoint; queries that run. */
import { useEffect, useState } from 'preact/hooks';
import { formatBytes, formatCount, formatSeconds, formatShort } from '../answer/format.js';
import { Times } from '../charts/times.js';
import { parseMetrics, type Sample, sumOf } from '../live/prometheus.js';
import { type LiveStats, type Reading, statsBetween } from '../live/watch.js';
import { Busy } from '../parts/controls.js';
import { RunningView } from './running.js';

const EVERY_MS = 2_000;
/** Number of readings in ten minutes. */
const STATS_MAX = 300;
const CHART_HEIGHT = 150;

interface Watched {
  readonly reading: Reading | null;
  readonly stats: readonly LiveStats[];
  /** Whether the last reading failed. */
  readonly isLost: boolean;
}

function useWatched(): Watched {
  const [watched, setWatched] = useState<Watched>({ reading: null, stats: [], isLost: false });
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        const response = await fetch('/metrics', { signal: controller.signal, cache: 'no-store' });
        const reading = { at: Date.now() / 1000, samples: parseMetrics(await response.text()) };
        setWatched((before) => added(before, reading));
      } catch {
        if (!controller.signal.aborted) setWatched((before) => ({ ...before, isLost: true }));
      }
      if (!controller.signal.aborted) timer = setTimeout(read, EVERY_MS);
    };
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, []);
  return watched;
}

function added({ reading: before, stats }: Watched, reading: Reading): Watched {
  const next = before === null ? stats : [...stats, statsBetween(before, reading)].slice(-STATS_MAX);
  return { reading, stats: next, isLost: false };
}

export function Live() {
  const { reading, stats, isLost } = useWatched();
  const last = stats[stats.length - 1];
  const at = stats.map((one) => one.at);
  const chart = (label: string, pick: (one: LiveStats) => number | null, format = formatShort) => (
    <article class="panel">
      <Times
        lines
        label={label}
        seconds={at}
        values={stats.map(pick)}
        height={CHART_HEIGHT}
        format={format}
      />
    </article>
  );
  return (
    <>
      <header class="view-head">
        <h1>Live</h1>
        <p class={isLost ? 'bad' : 'facts'} role="status">
          {isLost
            ? 'The server does not answer; trying again…'
            : 'Statistics of the whole server, updated every two seconds'}
        </p>
      </header>
      {reading === null ? (
        <Busy text="Reading the first statistics…" />
      ) : (
        <Tiles samples={reading.samples} last={last} />
      )}
      <div class="charts">
        {chart('Values inserted per second', ({ values }) => values)}
        {chart('Queries per second', ({ queries }) => queries)}
        {chart('Query time, 95th percentile', ({ p95Seconds }) => p95Seconds, formatSeconds)}
        {chart('Memory used by data', ({ memoryBytes }) => memoryBytes, formatBytes)}
      </div>
      <RunningView />
    </>
  );
}

function Tiles({
  samples,
  last,
}: {
  readonly samples: readonly Sample[];
  readonly last: LiveStats | undefined;
}) {
  const value = (name: string): number => sumOf(samples, name);
  const used = value('quarry_memory_used_bytes');
  const limit = value('quarry_memory_limit_bytes');
  const down = value('quarry_lanes_down');
  const failures = value('quarry_checkpoint_failures_total');
  const checkpoint = value('quarry_lsn_checkpoint');
  const tiles: readonly (readonly [title: string, figure: string, note: string, isBad?: boolean])[] = [
    [
      'State',
      value('quarry_ready') === 1 ? 'ready' : 'starting',
      down > 0 ? `${down} workers are being rebuilt` : `${value('quarry_lanes')} workers, all running`,
      down > 0,
    ],
    [
      'Ingest',
      `${formatShort(last?.values ?? 0)} values/s`,
      `${formatShort(last?.entities ?? 0)} entities/s`,
    ],
    [
      'Queries',
      `${formatShort(last?.queries ?? 0)}/s`,
      last?.medianSeconds == null
        ? 'none in the last seconds'
        : `half within ${formatSeconds(last.medianSeconds)}, 95% within ${formatSeconds(last.p95Seconds ?? 0)}`,
    ],
    ['Memory', formatBytes(used), `of the limit of ${formatBytes(limit)}`, used > 0.9 * limit],
    [
      'Log',
      formatBytes(value('quarry_log_bytes_since_checkpoint')),
      `since the last checkpoint; record ${formatCount(value('quarry_lsn_durable'))} is durable`,
    ],
    [
      'Checkpoint',
      checkpoint === 0 ? 'none yet' : `${formatSeconds(value('quarry_checkpoint_age_seconds'))} ago`,
      failures > 0 ? `${failures} attempts failed` : `up to record ${formatCount(checkpoint)}`,
      failures > 0,
    ],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([title, figure, note, isBad = false]) => (
        <div key={title} class={isBad ? 'panel tile bad' : 'panel tile'}>
          <dt>{title}</dt>
          <dd>
            <strong>{figure}</strong>
            <span>{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
