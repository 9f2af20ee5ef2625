/** Shows an answer as the chart that fits it best, as a table, and as JSON. */
import { useState } from 'preact/hooks';
import { type Chart, chartsOf } from '../answer/chart.js';
import { formatCount, formatSeconds, plural } from '../answer/format.js';
import { type Table, tablesOf } from '../answer/table.js';
import { Bars } from '../charts/bars.js';
import { PointMap } from '../charts/map.js';
import { Times } from '../charts/times.js';
import type { Answered } from '../server/client.js';
import { Busy, CopyButton, Empty, ErrorBox, Tabs } from './controls.js';
import { Grid } from './grid.js';
import type { RequestState } from './use-request.js';

export type View = Chart['kind'] | 'table' | 'json';

export interface Shown {
  readonly answered: Answered;
  /** The request, for showing and copying. */
  readonly request: string;
  /** The first view; absent = the view that fits best. */
  readonly first?: View;
  /** Sorts the rows; absent = the order of the answer. */
  readonly arrange?: (table: Table) => Table;
}

const VIEW_NAMES: Readonly<Record<View, string>> = {
  figure: 'Number',
  bars: 'Bars',
  times: 'Over time',
  map: 'Map',
  table: 'Table',
  json: 'JSON',
};

export function Result({
  requestState,
  onStop,
}: {
  readonly requestState: RequestState<Shown>;
  readonly onStop: () => void;
}) {
  if (requestState.state === 'idle') return null;
  if (requestState.state === 'failed') return <ErrorBox error={requestState.error} />;
  const shown = requestState.state === 'done' ? requestState.value : requestState.before;
  return (
    <div class="result" aria-busy={requestState.state === 'busy'}>
      {requestState.state === 'busy' && (
        <div class="row">
          <Busy text="Asking…" />
          <button type="button" class="quiet" onClick={onStop}>
            Stop
          </button>
        </div>
      )}
      {shown !== null && <Answer key={shown.answered.text} shown={shown} />}
    </div>
  );
}

const JSON_CHARACTERS_MAX = 200_000;

function Answer({ shown: { answered, request, arrange, first } }: { readonly shown: Shown }) {
  const tables = tablesOf(answered.json).map((table) => arrange?.(table) ?? table);
  const [tableIndex, setTableIndex] = useState(0);
  const table = tables[tableIndex];
  const charts = table === undefined ? [] : chartsOf(table);
  const views: View[] = [
    ...charts.map(({ kind }) => kind),
    ...(table === undefined ? [] : (['table'] as const)),
    'json',
  ];
  const [chosen, setChosen] = useState<View | null>(first ?? null);
  const view = chosen !== null && views.includes(chosen) ? chosen : views[0];
  const chart = charts.find(({ kind }) => kind === view);
  return (
    <>
      {tables.length > 1 && (
        <Tabs
          label="Results"
          chosen={String(tableIndex)}
          tabs={tables.map(({ name }, index) => ({
            name: String(index),
            text: name || `Result ${index + 1}`,
          }))}
          onChoose={(name) => setTableIndex(Number(name))}
        />
      )}
      <div class="row between">
        <Tabs
          label="Shown as"
          chosen={view}
          tabs={views.map((name) => ({ name, text: VIEW_NAMES[name] }))}
          onChoose={setChosen}
        />
        <p class="facts" role="status">
          {table !== undefined && <>{rowsText(table)} · </>}
          {formatSeconds(answered.seconds)}
        </p>
      </div>
      {table !== undefined && table.rows.length === 0 && view !== 'json' ? (
        <Empty title="No matches">
          <p>
            The query succeeded, but nothing in the database matches it. Try a longer time window or fewer
            conditions.
          </p>
        </Empty>
      ) : (
        <>
          {chart !== undefined && <Drawn chart={chart} />}
          {view === 'table' && table !== undefined && <Grid table={table} />}
          {view === 'json' && <pre class="json">{answered.text.slice(0, JSON_CHARACTERS_MAX)}</pre>}
        </>
      )}
      <details class="request">
        <summary>The request</summary>
        <pre>{request}</pre>
        <CopyButton text={request} label="Copy" />
      </details>
    </>
  );
}

const rowsText = ({ rows, of }: Table): string =>
  of === undefined
    ? plural(rows.length, 'row')
    : `the first ${formatCount(rows.length)} of ${plural(of, 'row')}`;

function Drawn({ chart }: { readonly chart: Chart }) {
  if (chart.kind === 'bars') return <Bars {...chart} />;
  if (chart.kind === 'times') return <Times {...chart} />;
  if (chart.kind === 'map') return <PointMap {...chart} />;
  return (
    <p class="figure">
      <strong>{grouped(chart.value)}</strong> <span>{chart.label}</span>
    </p>
  );
}

/** Groups any number of digits by thousands. */
const grouped = (text: string): string =>
  text.replace(/^-?\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
