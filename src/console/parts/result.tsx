/** Shows an answer as its charts, as a table, and as JSON. */
import { useState } from 'preact/hooks';
import type { Reading } from '../answer/behaviour.js';
import { type Chart, chartsOf } from '../answer/chart.js';
import { formatCount, formatSeconds, plural } from '../answer/format.js';
import type { Table } from '../answer/table.js';
import type { Pick } from '../query/behind.js';
import type { ServerRequest } from '../server/client.js';
import { Code } from './code.js';
import { Busy, Empty, ErrorBox, Tabs } from './controls.js';
import { Drawn } from './drawn.js';
import { Grid } from './grid.js';
import { PictureButtons } from './picture-buttons.js';
import type { RequestState } from './use-request.js';

export interface Shown {
  readonly reading: Reading;
  /** Text of the answer as it was received. */
  readonly text: string;
  readonly seconds: number;
  /** The requests, for showing and copying. */
  readonly requests: readonly ServerRequest[];
  /** The first view; absent = the view that fits best. */
  readonly first?: 'table';
}

type PickerOf = (chart: Chart) => ((pick: Pick) => void) | undefined;

interface ResultProps {
  readonly requestState: RequestState<Shown>;
  readonly onStop: () => void;
  /** What to do with what is clicked in a chart; undefined = nothing in it can be clicked. */
  readonly pickerOf?: PickerOf;
}

export function Result({ requestState, onStop, pickerOf = () => undefined }: ResultProps) {
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
      {shown !== null && <Answer key={shown.text} shown={shown} pickerOf={pickerOf} />}
    </div>
  );
}

const KIND_NAMES: Readonly<Record<Chart['kind'], string>> = {
  figure: 'Number',
  bars: 'Bars',
  times: 'Over time',
  map: 'Map',
  lines: 'Lines',
  funnel: 'Funnel',
  retention: 'Retention',
  lifecycle: 'Lifecycle',
  flow: 'Flow',
  sessions: 'Sessions',
  timeline: 'Timeline',
  plan: 'Plan',
};
const chartName = ({ kind, title }: Chart): string => title ?? KIND_NAMES[kind];

interface AnswerProps {
  readonly shown: Shown;
  readonly pickerOf: PickerOf;
}

function Answer({ shown, pickerOf }: AnswerProps) {
  const { reading, text, seconds, requests, first } = shown;
  const { tables } = reading;
  const [tableIndex, setTableIndex] = useState(0);
  const table = tables[tableIndex];
  const charts = reading.charts ?? (table === undefined ? [] : chartsOf(table));
  const views = [
    ...charts.map((chart, index) => ({ name: `chart ${index}`, text: chartName(chart) })),
    ...(table === undefined ? [] : [{ name: 'table', text: 'Table' }]),
    { name: 'json', text: 'JSON' },
  ];
  const [chosen, setChosen] = useState<string>(first ?? views[0].name);
  const view = views.some(({ name }) => name === chosen) ? chosen : views[0].name;
  const chart = charts.find((_, index) => view === `chart ${index}`);
  const isEmpty = table !== undefined && table.rows.length === 0 && view !== 'json';
  return (
    <>
      {tables.length > 1 && (view === 'table' || reading.charts === null) && (
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
        <Tabs label="Shown as" chosen={view} tabs={views} onChoose={setChosen} />
        <p class="facts" role="status">
          {table !== undefined && <>{rowsText(table)} · </>}
          {formatSeconds(seconds)}
        </p>
      </div>
      {isEmpty ? (
        <Empty title="No matches">
          <p>
            The query succeeded, but nothing in the database matches it. Try a longer time window or fewer
            conditions.
          </p>
        </Empty>
      ) : (
        <>
          {chart !== undefined && <Drawn chart={chart} onPick={pickerOf(chart)} />}
          {chart !== undefined && <PictureButtons chart={chart} />}
          {view === 'table' && table !== undefined && <Grid key={tableIndex} table={table} />}
          {view === 'json' && <pre class="json">{text.slice(0, JSON_CHARACTERS_MAX)}</pre>}
        </>
      )}
      <Code requests={requests} />
    </>
  );
}

const JSON_CHARACTERS_MAX = 200_000;

const rowsText = ({ rows, of }: Table): string =>
  of === undefined
    ? plural(rows.length, 'row')
    : `the first ${formatCount(rows.length)} of ${plural(of, 'row')}`;
