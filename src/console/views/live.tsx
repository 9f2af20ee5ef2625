/** Statistics of the server in the last hour: writes, response times, memory, log and checkpoint; queries that run. */
import { useEffect, useState } from 'preact/hooks';
import { formatBytes, formatCount, formatSecond, formatSeconds, formatShort } from '../answer/format.js';
import { Times } from '../charts/times.js';
import { isYoung, newest, readHistory, type StatsHistory } from '../live/history.js';
import { parseMetrics, type Sample, sumOf } from '../live/prometheus.js';
import { Busy } from '../parts/controls.js';
import { RunningView } from './running.js';

const EVERY_MS = 2_000;
const CHART_HEIGHT = 150;

interface Reading {
  readonly samples: readonly Sample[];
  readonly history: StatsHistory;
}

async function getJson<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(path, { signal, cache: 'no-store' });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

/** The last reading (null = none yet), and whether a later one failed. */
function useReading(): { readonly reading: Reading | null; readonly isLost: boolean } {
  const [state, setState] = useState<{ reading: Reading | null; isLost: boolean }>({
    reading: null,
    isLost: false,
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let history: StatsHistory | null = null;
    const read = async (): Promise<void> => {
      try {
        const response = await fetch('/metrics', { signal, cache: 'no-store' });
        const samples = parseMetrics(await response.text());
        history = await readHistory((path) => getJson(path, signal), history);
        setState({ reading: { samples, history }, isLost: false });
      } catch {
        if (!signal.aborted) setState((before) => ({ ...before, isLost: true }));
      }
      if (!signal.aborted) timer = setTimeout(read, EVERY_MS);
    };
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, []);
  return state;
}

export function Live() {
  const { reading, isLost } = useReading();
  return (
    <>
      <header class="view-head">
        <h1>Live</h1>
        <p class={isLost ? 'bad' : 'facts'} role="status">
          {isLost
            ? 'The server does not answer; trying again…'
            : reading !== null && spanText(reading.history)}
        </p>
      </header>
      {reading === null ? (
        <Busy text="Reading the first statistics…" />
      ) : (
        <>
          <Tiles {...reading} />
          <Charts {...reading.history} />
        </>
      )}
      <RunningView />
    </>
  );
}

const spanText = (history: StatsHistory): string =>
  isYoung(history)
    ? `The whole server since its start, ${formatSecond(history.started)} UTC; a restart begins anew`
    : 'The last hour of the whole server';

function Charts({ samples }: StatsHistory) {
  const chart = (label: string, name: keyof typeof samples, format = formatShort) => (
    <article class="panel">
      <Times
        lines
        label={label}
        seconds={samples['unix-seconds']}
        values={samples[name]}
        height={CHART_HEIGHT}
        format={format}
      />
    </article>
  );
  return (
    <div class="charts">
      {chart('Entities inserted per second', 'entities-per-second')}
      {chart('Values inserted per second', 'values-per-second')}
      {chart('Queries per second', 'queries-per-second')}
      {chart('Memory used by data', 'memory-bytes', formatBytes)}
      {chart('Query time, median', 'median-seconds', formatSeconds)}
      {chart('Query time, 95th percentile', 'p95-seconds', formatSeconds)}
    </div>
  );
}

function Tiles({ samples, history }: Reading) {
  const value = (name: string): number => sumOf(samples, name);
  const used = value('quarry_memory_used_bytes');
  const limit = value('quarry_memory_limit_bytes');
  const down = value('quarry_lanes_down');
  const failures = value('quarry_checkpoint_failures_total');
  const checkpoint = value('quarry_lsn_checkpoint');
  const [median, p95] = [newest(history, 'median-seconds'), newest(history, 'p95-seconds')];
  const rate = (name: 'values' | 'entities' | 'queries'): string =>
    formatShort(newest(history, `${name}-per-second`) ?? 0);
  const tiles: readonly (readonly [title: string, figure: string, note: string, isBad?: boolean])[] = [
    [
      'State',
      value('quarry_ready') === 1 ? 'ready' : 'starting',
      down > 0 ? `${down} workers are being rebuilt` : `${value('quarry_lanes')} workers, all running`,
      down > 0,
    ],
    ['Ingest', `${rate('values')} values/s`, `${rate('entities')} entities/s`],
    [
      'Queries',
      `${rate('queries')}/s`,
      median === null
        ? 'none in the last seconds'
        : `half within ${formatSeconds(median)}, 95% within ${formatSeconds(p95 ?? 0)}`,
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
