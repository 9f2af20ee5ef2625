/** Queries as text: SQL, or JSON for an endpoint of the interface. */

import { lazy, Suspense } from 'preact/compat';
import { useLayoutEffect, useState } from 'preact/hooks';
import { readAnswer } from '../answer/behaviour.js';
import { type QueryText, useConsole } from '../parts/context.js';
import { Busy, Choice } from '../parts/controls.js';
import { Result, type Shown } from '../parts/result.js';
import { SaveForm } from '../parts/save.js';
import { useRequest } from '../parts/use-request.js';
import { exampleSql } from '../query/examples.js';
import type { Model } from '../server/model.js';

const Editor = lazy(() => import('../parts/editor.js'));

const SQL = '/v1/sql';

const ENDPOINTS: readonly { readonly path: string; readonly text: string }[] = [
  { path: SQL, text: 'SQL' },
  { path: '/v1/query/count/entity', text: 'JSON: count entities' },
  { path: '/v1/query/count/event', text: 'JSON: count events' },
  { path: '/v1/query/count/entity/total', text: 'JSON: totals' },
  { path: '/v1/query/aggregation', text: 'JSON: aggregation' },
  { path: '/v1/query/top_values', text: 'JSON: top values' },
  { path: '/v1/query/exists/entity', text: 'JSON: which IDs exist' },
  { path: '/v1/data_extraction/result', text: 'JSON: rows' },
  { path: '/v1/data_extraction/score', text: 'JSON: scored rows' },
];

export function Query({ opened }: { readonly opened: QueryText | null }) {
  const { model, client } = useConsole();
  const [path, setPath] = useState(SQL);
  /** Texts by endpoint: changing the endpoint and back keeps the text. */
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  /** Number of texts that other views have put in. */
  const [revision, setRevision] = useState(0);
  const [sentQuery, setSentQuery] = useState<QueryText | null>(null);
  const { requestState, run, stop, forget } = useRequest<Shown>();
  const text = texts[path] ?? beginningOf(path, model);

  // The opened text is put in once, before the user can type.
  useLayoutEffect(() => {
    if (opened === null) return;
    setPath(opened.path);
    setTexts((before) => ({ ...before, [opened.path]: readable(opened) }));
    setRevision((before) => before + 1);
    setSentQuery(null);
    forget();
  }, [opened]);

  const submit = (): void => {
    const query = { path, body: text };
    setSentQuery(query);
    const request = { method: 'POST', ...query } as const;
    run(async (signal) => {
      const { json, ...answered } = await client.request(request, signal);
      return { ...answered, reading: readAnswer(path, json), requests: [request] };
    });
  };
  return (
    <>
      <header class="view-head">
        <h1>Query</h1>
      </header>
      <div class="panel query">
        <Choice
          label="Language"
          value={path}
          options={ENDPOINTS.map((endpoint) => ({ value: endpoint.path, text: endpoint.text }))}
          onChange={setPath}
        />
        <Suspense fallback={<Busy text="Opening the editor…" />}>
          <Editor
            key={`${path} ${revision}`}
            language={path === SQL ? 'sql' : 'json'}
            label={path === SQL ? 'SQL' : `Body of POST ${path}`}
            text={text}
            model={model}
            onChange={(next) => setTexts((before) => ({ ...before, [path]: next }))}
            onRun={submit}
          />
        </Suspense>
        <div class="row">
          <button type="button" class="main" onClick={submit}>
            Run
          </button>
          <span class="hint">
            Ctrl-Enter runs the query, Ctrl-Space completes, Escape and then Tab leaves the editor
          </span>
        </div>
        {path === SQL && (
          <p class="hint">
            Dimensions are tables. <code>[entity-id]</code> is a column of each; an event column has{' '}
            <code>[name.value]</code> and <code>[name.date]</code>, and <code>COUNT([name.value])</code>{' '}
            counts its events.
          </p>
        )}
      </div>
      <div class="answer">
        <Result requestState={requestState} onStop={stop} />
        {sentQuery !== null && sentQuery.path !== SQL && requestState.state === 'done' && (
          <SaveForm key={sentQuery.body} requests={[{ method: 'POST', ...sentQuery }]} />
        )}
      </div>
    </>
  );
}

function readable({ path, body }: QueryText): string {
  if (path === SQL) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A valid query with names of the database. */
function beginningOf(path: string, model: Model): string {
  if (path === SQL) return exampleSql(model);
  const dimension = [...model.dimensions].sort((a, b) => b.columns.length - a.columns.length)[0];
  const column =
    dimension?.columns.find(({ isEvent, name }) => !isEvent && name !== 'entity-id')?.name ?? 'entity-id';
  const event = dimension?.columns.find(({ isEvent }) => isEvent)?.name ?? 'visit';
  const named = { dimension: dimension?.name ?? 'default' };
  const ever = ['1990-01-01', 'now'];
  const bodies: Readonly<Record<string, unknown>> = {
    '/v1/query/count/entity': [
      { 'query-name': 'all', ...named, query: [{ 'entity-id': { 'not-equals': '-' } }] },
    ],
    '/v1/query/count/event': [
      { 'query-name': 'events', ...named, query: [{ [event]: { minfreq: 1, between: ever } }] },
    ],
    '/v1/query/count/entity/total': { dimensions: [named.dimension] },
    '/v1/query/aggregation': { ...named, query: [{ [column]: 10 }] },
    '/v1/query/top_values': { top: { ...named, [column]: 10 } },
    '/v1/query/exists/entity': { ...named, ids: ['some-id'] },
    '/v1/data_extraction/result': { ...named, columns: ['entity-id', column], limit: 20 },
    '/v1/data_extraction/score': {
      ...named,
      columns: ['entity-id', column],
      query: [{ 'entity-id': { 'not-equals': '-' } }],
      limit: 20,
    },
  };
  return JSON.stringify(bodies[path] ?? {}, null, 2);
}
