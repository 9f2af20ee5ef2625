/** Questions as text: SQL, or JSON to one of the interface's endpoints. */

import { lazy, Suspense } from 'preact/compat';
import { useLayoutEffect, useState } from 'preact/hooks';
import { exampleSql } from '../ask/examples.js';
import { useAsking } from '../parts/asking.js';
import { type QueryText, useConsole } from '../parts/context.js';
import { Busy, Choice } from '../parts/controls.js';
import { Result, type Shown } from '../parts/result.js';
import { SaveForm } from '../parts/save.js';
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
  /** By endpoint: going to another one and back keeps what was typed. */
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  /** How often a text came from elsewhere. */
  const [revision, setRevision] = useState(0);
  const [asked, setAsked] = useState<QueryText | null>(null);
  const { asking, run, stop, forget } = useAsking<Shown>();
  const text = texts[path] ?? beginningOf(path, model);

  // What was opened is put in once, before anything can be typed.
  useLayoutEffect(() => {
    if (opened === null) return;
    setPath(opened.path);
    setTexts((before) => ({ ...before, [opened.path]: readable(opened) }));
    setRevision((before) => before + 1);
    setAsked(null);
    forget();
  }, [opened]);

  const ask = (): void => {
    const query = { path, body: text };
    setAsked(query);
    run(async (signal) => ({
      answered: await client.ask({ method: 'POST', ...query }, signal),
      request: `POST ${path}\n${text}`,
    }));
  };
  return (
    <>
      <header class="view-head">
        <h1>Query</h1>
      </header>
      <div class="panel query">
        <Choice
          label="Ask in"
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
            onRun={ask}
          />
        </Suspense>
        <div class="row">
          <button type="button" class="main" onClick={ask}>
            Run
          </button>
          <span class="hint">Ctrl-Enter runs, Ctrl-Space completes, Escape then Tab leaves the editor</span>
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
        <Result asking={asking} onStop={stop} />
        {asked !== null && asked.path !== SQL && asking.state === 'done' && (
          <SaveForm key={asked.body} {...asked} />
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

/** Something that can be run, made of the database's own names. */
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
