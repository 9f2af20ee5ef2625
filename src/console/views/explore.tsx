/** The form for a question: its dimension, conditions, and way of showing the answer. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Table } from '../answer/table.js';
import { useConsole } from '../parts/context.js';
import { Choice, Empty, Tabs } from '../parts/controls.js';
import { Result, type Shown } from '../parts/result.js';
import { SaveForm } from '../parts/save.js';
import { useRequest } from '../parts/use-request.js';
import { type Draft, newDraft, type OnChange, type Show, withWindow } from '../query/draft.js';
import { type Question, requestOf } from '../query/request.js';
import { type Dimension, dimensionOf } from '../server/model.js';
import { Conditions } from './conditions.js';
import { windowOfEvents } from './event-window.js';
import { ShowFields } from './show-fields.js';

/** A draft from another view, which is sent at once. */
export interface Opened {
  readonly draft: Draft;
  /** Event column whose dates must be loaded first; null = none. */
  readonly windowOf: string | null;
}

const SHOWS: readonly { readonly name: Show; readonly text: string }[] = [
  { name: 'count', text: 'Count' },
  { name: 'time', text: 'Over time' },
  { name: 'top', text: 'Top values' },
  { name: 'map', text: 'Map' },
  { name: 'rows', text: 'Rows' },
];

export function Explore({ opened }: { readonly opened: Opened | null }) {
  const { model, client, openQuery } = useConsole();
  const [draft, setDraft] = useState<Draft>(() => newDraft(firstDimension(model.dimensions)));
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [sentQuestion, setSentQuestion] = useState<Question | null>(null);
  const { requestState, run, stop, forget } = useRequest<Shown>();
  const result = useRef<HTMLDivElement>(null);
  const latest = useRef(draft);
  latest.current = draft;
  const dimension = dimensionOf(model, draft.dimension);

  const change: OnChange<Draft> = (next) => {
    setDraft(next);
    setProblems([]);
  };
  const submit = (wanted: Draft): void => {
    const outcome = requestOf(wanted, dimensionOf(model, wanted.dimension));
    if ('problems' in outcome) {
      setProblems(outcome.problems.map(({ text }) => text));
      return;
    }
    const { question } = outcome;
    setProblems([]);
    setSentQuestion(question);
    run(async (signal) => {
      const answered = await (question.returnsRows
        ? client.requestRows(question, signal)
        : client.request(question, signal));
      const shown = {
        answered,
        request: requestText(question),
        arrange: (table: Table) => arranged(table, wanted),
      };
      return wanted.show === 'rows' ? { ...shown, first: 'table' } : shown;
    });
    result.current?.scrollIntoView({ block: 'nearest' });
  };

  // The opened draft is sent once, unless the user changes it before its dates are loaded. It is set before the user can act.
  useLayoutEffect(() => {
    if (opened === null) return;
    const { draft, windowOf } = opened;
    setDraft(draft);
    setSentQuestion(null);
    forget();
    if (windowOf === null) {
      submit(draft);
      return;
    }
    let isOpen = true;
    const isWanted = (): boolean => isOpen && latest.current === draft;
    windowOfEvents(client, draft.dimension, windowOf).then(
      (window) => {
        if (!isWanted()) return;
        const whole = withWindow(draft, window);
        setDraft(whole);
        submit(whole);
      },
      () => {
        // Without dates, the form shows what is missing.
        if (isWanted()) submit(draft);
      },
    );
    return () => {
      isOpen = false;
    };
  }, [opened]);

  return (
    <>
      <header class="view-head">
        <h1>Explore</h1>
      </header>
      <div class="explore">
        <form
          class="builder"
          onSubmit={(event) => {
            event.preventDefault();
            submit(draft);
          }}
        >
          <fieldset class="panel">
            <legend>About</legend>
            <Choice
              label="Dimension"
              value={draft.dimension}
              options={model.dimensions.map(({ name }) => ({ value: name, text: name }))}
              onChange={(name) => change(() => newDraft(dimensionOf(model, name)))}
            />
          </fieldset>
          <Conditions draft={draft} dimension={dimension} onChange={change} />
          <fieldset class="panel">
            <legend>Show</legend>
            <Tabs
              label="What to show"
              chosen={draft.show}
              tabs={SHOWS}
              onChoose={(show) => change((now) => ({ ...now, show }))}
            />
            <ShowFields draft={draft} dimension={dimension} onChange={change} />
          </fieldset>
          {problems.length > 0 && (
            <ul class="problems" role="alert">
              {problems.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
          <div class="row actions">
            <button type="submit" class="main">
              Ask
            </button>
            <span class="hint">or press Enter in any field</span>
          </div>
        </form>
        <div ref={result} class="answer">
          {requestState.state === 'idle' && (
            <Empty title="The answer appears here">
              <p>Choose a dimension and what to show, then press Ask.</p>
            </Empty>
          )}
          <Result requestState={requestState} onStop={stop} />
          {sentQuestion !== null && requestState.state === 'done' && (
            <div class="row wrap after">
              <button
                type="button"
                class="quiet"
                onClick={() => openQuery({ path: sentQuestion.path, body: sentQuestion.body })}
              >
                Edit as JSON
              </button>
              <SaveForm key={sentQuestion.body} path={sentQuestion.path} body={sentQuestion.body} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** The dimension with the most columns. */
const firstDimension = (dimensions: readonly Dimension[]): Dimension | undefined =>
  [...dimensions].sort((a, b) => b.columns.length - a.columns.length)[0];

const requestText = ({ method, path, body }: Question): string =>
  `${method} ${path}\n${JSON.stringify(JSON.parse(body), null, 2)}`;

/** Sorts groups by the measure, the largest first, and keeps as many as the draft requests. */
function arranged(table: Table, { show, measure, limit, by, dimension }: Draft): Table {
  if (show === 'rows' || show === 'map' || show === 'time') return table;
  const at = table.columns.length - 1;
  const { rows } = table;
  const title = (name: string): string =>
    name === 'total' || name === 'count' ? dimension : name.replace(`entities (${by})`, dimension);
  const columns = table.columns.map((column) => ({ ...column, title: title(column.title) }));
  const named = rows.map((row) =>
    row.map((cell) => (rows.length === 1 && (cell === 'count' || cell === 'total') ? dimension : cell)),
  );
  if (show === 'count' || measure.of === 'entities') return { ...table, columns, rows: named };
  const sorted = [...rows]
    .filter((row) => row[at] !== null && Number(row[at]) !== 0)
    .sort((one, other) => Number(other[at]) - Number(one[at]));
  const first = sorted.slice(0, Number(limit));
  return { ...table, columns, rows: first, ...(first.length < sorted.length ? { of: sorted.length } : {}) };
}
