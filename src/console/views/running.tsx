/** Queries of the database that run, each with a button that stops it, and the newest slow ones. Only for keys that may see them. */
import { useEffect, useState } from 'preact/hooks';
import type { answers } from '../../interface/index.js';
import { formatBytes, formatCount, formatSecond, formatSeconds } from '../answer/format.js';
import { useConsole } from '../parts/context.js';
import { Busy, ErrorBox } from '../parts/controls.js';
import { shownValue, useRequest } from '../parts/use-request.js';
import { type Client, RequestError } from '../server/client.js';

const RUNNING = '/v1/status/queries';
const SLOW = '/v1/status/slow_queries';
const EVERY_MS = 2_000;
/** The key may not see the queries of others. */
const FORBIDDEN = 403;

type RunningQueries = answers.RunningQueries;
type RunningQuery = answers.RunningQuery;
type SlowQueries = answers.SlowQueries;
type SlowQuery = answers.SlowQuery;
type AnyQuery = RunningQuery | SlowQuery;

type Read<Answer> = { readonly answer: Answer } | { readonly error: unknown } | null;

async function read<Answer>(client: Client, path: string, signal: AbortSignal): Promise<Answer> {
  return (await client.request({ method: 'GET', path }, signal)).json as unknown as Answer;
}

export function RunningView() {
  const { client, model } = useConsole();
  const [running, setRunning] = useState<Read<RunningQueries>>(null);
  useEffect(() => {
    if (model.database === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async (): Promise<void> => {
      let isForbidden = false;
      try {
        const answer = await read<RunningQueries>(client, RUNNING, signal);
        if (!signal.aborted) setRunning({ answer });
      } catch (error) {
        isForbidden = error instanceof RequestError && error.status === FORBIDDEN;
        if (!signal.aborted) setRunning(isForbidden ? null : { error });
      }
      if (!signal.aborted && !isForbidden) timer = setTimeout(again, EVERY_MS);
    };
    void again();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [client, model.database]);
  if (running === null) return null;
  return (
    <>
      <section aria-labelledby="running">
        <h2 id="running">Running queries</h2>
        {'error' in running ? <ErrorBox error={running.error} /> : <Running {...running.answer} />}
      </section>
      <SlowView />
    </>
  );
}

/** Columns of numbers. */
const NUMBERS = ['Time', 'Waited'];

const Columns = ({ names }: { readonly names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col" class={NUMBERS.includes(name) ? 'number' : ''}>
          {name === '' ? <span class="unseen">Stop</span> : name}
        </th>
      ))}
    </tr>
  </thead>
);

const whoOf = ({ key, 'key-name': name }: AnyQuery): string => name ?? key;

function Running({ count, queries }: RunningQueries) {
  const { client } = useConsole();
  const stopping = useRequest<boolean>();
  const stop = ({ id, query }: RunningQuery): void => {
    if (!window.confirm(`Stop this query? Its client gets an error.\n\n${query.slice(0, 300)}`)) return;
    stopping.run(async (signal) => {
      const path = `${RUNNING}/${encodeURIComponent(id)}`;
      const { json } = await client.request({ method: 'DELETE', path }, signal);
      return (json as { readonly stopped?: unknown }).stopped === true;
    });
  };
  const { requestState } = stopping;
  return (
    <>
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'done' && (
        <p class={requestState.value ? 'good' : 'facts'} role="status">
          {requestState.value ? 'The query was stopped.' : 'The query had ended before.'}
        </p>
      )}
      {queries.length === 0 && <p class="facts">None runs now.</p>}
      {count > queries.length && (
        <p class="facts">
          the oldest {formatCount(queries.length)} of {formatCount(count)}
        </p>
      )}
      {queries.length > 0 && (
        <div class="grid queries">
          <table>
            <Columns names={['Query', 'Key', 'Time', 'State', '']} />
            <tbody>
              {queries.map((one) => (
                <tr key={one.id}>
                  <td>
                    <QueryText {...one} />
                  </td>
                  <td>{whoOf(one)}</td>
                  <td class="number">{formatSeconds(one.milliseconds / 1_000)}</td>
                  <td>
                    {one.state.replaceAll('-', ' ')}
                    {one['reserved-bytes'] > 0 && ` · ${formatBytes(one['reserved-bytes'])}`}
                  </td>
                  <td>
                    <button
                      type="button"
                      aria-label={`Stop ${one.endpoint} of ${whoOf(one)}`}
                      disabled={requestState.state === 'busy'}
                      onClick={() => stop(one)}
                    >
                      Stop
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function QueryText({ query, endpoint }: Pick<AnyQuery, 'query' | 'endpoint'>) {
  return (
    <details>
      <summary>
        <span class="facts">{endpoint}</span> <code>{query.slice(0, 120)}</code>
      </summary>
      <pre>{query}</pre>
    </details>
  );
}

function SlowView() {
  const { client } = useConsole();
  const { requestState, run } = useRequest<SlowQueries>();
  const load = (): void => run((signal) => read<SlowQueries>(client, SLOW, signal));
  useEffect(load, [client]);
  const slow = shownValue(requestState);
  return (
    <section aria-labelledby="slow">
      <header class="row between">
        <h2 id="slow">Slow queries</h2>
        <button type="button" class="quiet" disabled={requestState.state === 'busy'} onClick={load}>
          Refresh
        </button>
      </header>
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'busy' && slow === null && <Busy text="Reading the slow queries…" />}
      {slow !== null && <Slow {...slow} />}
    </section>
  );
}

function Slow({ 'slow-from-milliseconds': fromMs, queries }: SlowQueries) {
  if (fromMs === null) return <p class="facts">The server does not record them (--slow-query off).</p>;
  if (queries.length === 0)
    return <p class="facts">None took {formatSeconds(fromMs / 1_000)} or longer since the start.</p>;
  return (
    <div class="grid queries">
      <table>
        <Columns names={['Query', 'Key', 'Ended', 'Time', 'Waited', 'Result']} />
        <tbody>
          {queries.map((one) => (
            <tr key={`${one['request-id']} ${one.ended}`}>
              <td>
                <QueryText {...one} />
                {one.plan.length > 0 && (
                  <details>
                    <summary class="facts">Plan</summary>
                    <pre>{one.plan.join('\n')}</pre>
                  </details>
                )}
              </td>
              <td>{whoOf(one)}</td>
              <td>{formatSecond(one.ended)}</td>
              <td class="number">{formatSeconds(one.milliseconds / 1_000)}</td>
              <td class="number">{waitText(one)}</td>
              <td>{resultText(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function waitText(query: SlowQuery): string {
  const waitedMs =
    query['memory-wait-milliseconds'] + query['slot-wait-milliseconds'] + query['version-wait-milliseconds'];
  return waitedMs === 0 ? '' : formatSeconds(waitedMs / 1_000);
}

function resultText(query: SlowQuery): string {
  const spilled = query['spilled-bytes'];
  return spilled === 0 ? outcomeOf(query) : `${outcomeOf(query)} · ${formatBytes(spilled)} on disk`;
}

function outcomeOf({ code, rows, 'http-status': status }: SlowQuery): string {
  if (code !== undefined) return `error ${code}`;
  if (status === null) return 'not read';
  if (rows === null) return '';
  return rows === 1 ? '1 row' : `${formatCount(rows)} rows`;
}
