/** One query as text, SQL or JSON for an endpoint of the interface, and its answer. */

import { lazy, Suspense } from 'preact/compat';
import { useRef, useState } from 'preact/hooks';
import { readAnswer } from '../../answer/behaviour.js';
import { type QueryText, useConsole } from '../../parts/context.js';
import { Busy, Choice } from '../../parts/controls.js';
import type { EditorHandle } from '../../parts/editor.js';
import { Result, type Shown } from '../../parts/result.js';
import { SaveForm } from '../../parts/save.js';
import { Schema } from '../../parts/schema.js';
import { useRequest } from '../../parts/use-request.js';
import { beginningOf } from '../../query/beginnings.js';
import { readable } from '../../query/code.js';
import { errorSpan } from '../../query/error-span.js';
import { formatSql } from '../../query/format-sql.js';

const Editor = lazy(() => import('../../parts/editor.js'));

const SQL = '/v1/sql';

/** A statement whose plan EXPLAIN ANALYZE can show: it runs the statement, so it must only read. */
const IS_SELECT = /^\s*(SELECT|WITH|VALUES)\b/i;

const ENDPOINTS: readonly { readonly path: string; readonly text: string }[] = [
  { path: SQL, text: 'SQL' },
  { path: '/v1/query/count/entity', text: 'JSON: count entities' },
  { path: '/v1/query/count/event', text: 'JSON: count events' },
  { path: '/v1/query/count/entity/total', text: 'JSON: totals' },
  { path: '/v1/query/aggregation', text: 'JSON: aggregation' },
  { path: '/v1/query/top_values', text: 'JSON: top values' },
  { path: '/v1/query/exists/entity', text: 'JSON: which IDs exist' },
  ...[
    'funnel',
    'retention',
    'lifecycle',
    'stickiness',
    'actives',
    'sequence',
    'sessions',
    'flow',
    'overlap',
    'compare',
    'timeline',
  ].map((kind) => ({ path: `/v1/query/${kind}`, text: `JSON: ${kind}` })),
  { path: '/v1/data_extraction/result', text: 'JSON: rows' },
  { path: '/v1/data_extraction/score', text: 'JSON: scored rows' },
];

/** `opened`: the text of another view; null = an empty query. */
export function QueryTab({ opened }: { readonly opened: QueryText | null }) {
  const { model, client } = useConsole();
  const [path, setPath] = useState(opened?.path ?? SQL);
  /** Texts by endpoint: changing the endpoint and back keeps the text. */
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    opened === null ? {} : { [opened.path]: textOf(opened) },
  );
  const handle = useRef<EditorHandle | null>(null);
  const [sentQuery, setSentQuery] = useState<QueryText | null>(null);
  const { requestState, run, stop } = useRequest<Shown>();
  const text = texts[path] ?? beginningOf(path, model);

  // The mark remains at the text that was sent: an edit removes it.
  const isSentText = sentQuery?.path === path && sentQuery.body === text;
  const span = requestState.state === 'failed' && isSentText ? errorSpan(text, requestState.error) : null;

  const send = (query: QueryText): void => {
    setSentQuery(query);
    const request = { method: 'POST', ...query } as const;
    run(async (signal) => {
      const { json, ...answered } = await client.request(request, signal);
      return { ...answered, reading: readAnswer(path, json), requests: [request] };
    });
  };
  const submit = (): void => send({ path, body: text });
  const format = (): void =>
    handle.current?.replace(0, text.length, path === SQL ? formatSql(text) : readable(text));
  return (
    <>
      <div class="panel query with-schema">
        <div>
          <Choice
            label="Language"
            value={path}
            options={ENDPOINTS.map((endpoint) => ({ value: endpoint.path, text: endpoint.text }))}
            onChange={setPath}
          />
          <Suspense fallback={<Busy text="Opening the editor…" />}>
            <Editor
              key={path}
              language={path === SQL ? 'sql' : 'json'}
              label={path === SQL ? 'SQL' : `Body of POST ${path}`}
              text={text}
              model={model}
              span={span}
              handle={handle}
              onChange={(next) => setTexts((before) => ({ ...before, [path]: next }))}
              onRun={submit}
            />
          </Suspense>
          {span !== null && span.suggestion !== null && (
            <button
              type="button"
              class="quiet"
              onClick={() => handle.current?.replace(span.from, span.to, span.suggestion ?? '')}
            >
              Use “{span.suggestion}” instead
            </button>
          )}
          <div class="row">
            <button type="button" class="main" onClick={submit}>
              Run
            </button>
            <button type="button" class="quiet" onClick={format}>
              Format
            </button>
            {path === SQL && IS_SELECT.test(text) && (
              <button
                type="button"
                class="quiet"
                onClick={() => send({ path, body: `EXPLAIN ANALYZE ${text}` })}
              >
                Explain
              </button>
            )}
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
        <Schema model={model} isSql={path === SQL} onInsert={(name) => handle.current?.insert(name)} />
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

const textOf = ({ path, body }: QueryText): string => (path === SQL ? body : readable(body));
