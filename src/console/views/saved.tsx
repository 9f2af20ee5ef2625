/** The saved queries of the database, which can be run, edited and deleted. */
import { useEffect, useState } from 'preact/hooks';
import { readAnswer } from '../answer/behaviour.js';
import { isReading, type Tile } from '../board/board.js';
import { AddToBoard } from '../parts/add-to-board.js';
import { type QueryText, useConsole } from '../parts/context.js';
import { Busy, Empty, ErrorBox } from '../parts/controls.js';
import { Result, type Shown } from '../parts/result.js';
import { shownValue, useRequest } from '../parts/use-request.js';
import { isBehaviour } from '../query/saved.js';
import { isList, isObject, type Json, type JsonObject } from '../server/json.js';
import { Segments } from './segments.js';

interface SavedQuery {
  readonly name: string;
  readonly type: string;
  readonly dimension: Json;
  readonly query: Json;
}

export function Saved() {
  const { client, openQuery } = useConsole();
  const list = useRequest<readonly SavedQuery[]>();
  const one = useRequest<Shown>();
  const deletion = useRequest<null>();
  const [shown, setShown] = useState('');
  const load = (): void =>
    list.run(async (signal) =>
      savedIn((await client.request({ method: 'GET', path: '/v1/query/saved' }, signal)).json),
    );
  // Once, when the view opens.
  useEffect(load, []);

  const pathOf = (name: string): string => `/v1/query/saved/${encodeURIComponent(name)}`;
  const runSaved = ({ name, type }: SavedQuery): void => {
    setShown(name);
    const request = { method: 'GET', path: pathOf(name) } as const;
    one.run(async (signal) => {
      const { json, ...answered } = await client.request(request, signal);
      return { ...answered, reading: readAnswer(`/v1/query/${type}`, json), requests: [request] };
    });
  };
  const remove = (name: string): void => {
    if (!window.confirm(`Delete the saved query “${name}”? Other clients may use it.`)) return;
    deletion.run(async (signal) => {
      await client.request({ method: 'DELETE', path: pathOf(name) }, signal);
      if (name === shown) one.forget();
      load();
      return null;
    });
  };
  const { requestState } = list;
  const queries = shownValue(requestState) ?? [];
  const shownQuery = queries.find(({ name }) => name === shown);
  const tile = shownQuery === undefined ? null : tileOf(shownQuery);
  return (
    <>
      <header class="view-head">
        <h1>Saved queries</h1>
      </header>
      {requestState.state === 'busy' && queries.length === 0 && <Busy text="Reading the list…" />}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'done' && queries.length === 0 && (
        <Empty title="None yet">
          <p>
            Save a query under Explore or Query. Every client of the database can run a saved query by its
            name.
          </p>
        </Empty>
      )}
      {deletion.requestState.state === 'failed' && <ErrorBox error={deletion.requestState.error} />}
      {queries.length > 0 && (
        <ul class="cards">
          {queries.map((query) => (
            <li
              key={query.name}
              class="panel row between"
              aria-current={query.name === shown ? 'true' : undefined}
            >
              <div>
                <h3>{query.name}</h3>
                <p class="facts">
                  {query.type}
                  {typeof query.dimension === 'string' && ` · ${query.dimension}`}
                </p>
              </div>
              <div class="row">
                <button
                  type="button"
                  class="main"
                  aria-label={`Run ${query.name}`}
                  onClick={() => runSaved(query)}
                >
                  Run
                </button>
                <button
                  type="button"
                  aria-label={`Open ${query.name}`}
                  onClick={() => openQuery(textOf(query))}
                >
                  Open
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Delete ${query.name}`}
                  onClick={() => remove(query.name)}
                >
                  Delete
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {shown !== '' && (
        <div class="answer">
          <Result requestState={one.requestState} onStop={one.stop} />
          {tile !== null && <AddToBoard key={shown} tile={tile} />}
        </div>
      )}
      <Segments />
    </>
  );
}

function savedIn(answer: Json): readonly SavedQuery[] {
  const list = isObject(answer) ? answer['saved-queries'] : null;
  if (!isList(list)) return [];
  return list.filter(isObject).map((entry: JsonObject) => ({
    name: String(entry.name),
    type: String(entry.type),
    dimension: entry.dimension ?? null,
    query: entry.query ?? null,
  }));
}

/** The query as a tile; null = tiles have no such queries. */
function tileOf(query: SavedQuery): Tile | null {
  const { path, body } = textOf(query);
  return isReading(path) ? { title: query.name, path, body: JSON.parse(body) } : null;
}

/** The query in the form that the endpoint of its type accepts. */
function textOf({ name, type, dimension, query }: SavedQuery): QueryText {
  if (type === 'sql') return { path: '/v1/sql', body: `SELECT * FROM [${name}]` };
  if (isBehaviour(type)) {
    const body = JSON.stringify({ 'query-name': 'answer', ...(isObject(query) ? query : {}) }, writeBig);
    return { path: `/v1/query/${type}`, body };
  }
  const named = dimension === null ? {} : { dimension };
  const bodies: Readonly<Record<string, unknown>> = {
    'count/entity': { 'query-name': 'query', ...named, query },
    'count/event': { 'query-name': 'query', ...named, query },
    'count/entity/total': { dimensions: query },
    aggregation: { ...named, ...(isObject(query) ? query : { query }) },
    top_values: query,
  };
  return { path: `/v1/query/${type}`, body: JSON.stringify(bodies[type] ?? query, writeBig) };
}

/** Writes a bigint as text, which the interface accepts too and which keeps all digits. */
const writeBig = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;
