/** The fields of each way of showing an answer. */

import { Choice, Entry, type Option } from '../parts/controls.js';
import {
  ANY,
  type Draft,
  type Interval,
  type Measure,
  type Metric,
  measureOf,
  metricsOf,
  type OnChange,
  withMeasure,
  withWindow,
} from '../query/draft.js';
import { activeColumns, type Column, columnOf, type Dimension } from '../server/model.js';
import { columnOptions } from './conditions.js';
import { TestFields, WindowFields } from './test-fields.js';

interface ShowProps {
  readonly draft: Draft;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Draft>;
}

export function ShowFields(props: ShowProps) {
  const { show } = props.draft;
  if (show === 'map') return <MapFields {...props} />;
  if (show === 'rows') return <RowsFields {...props} />;
  return (
    <div class="fields">
      <MeasureFields {...props} />
      {show === 'top' && <GroupFields {...props} />}
      {show === 'time' && <IntervalField {...props} />}
    </div>
  );
}

const METRIC_WORDS: Readonly<Record<Metric, string>> = {
  events: 'number of events',
  sum: 'sum of',
  avg: 'average of',
  min: 'minimum of',
  max: 'maximum of',
  median: 'median of',
  p95: '95th percentile of',
  'count-distinct': 'number of distinct values of',
};

/** Every measure of every column as options: `entities`, or `metric column`. */
function measureOptions(draft: Draft, columns: readonly Column[]): Option[] {
  const offered = draft.show === 'time' ? columns.filter(({ isEvent }) => isEvent) : columns;
  const entities = { value: 'entities', text: `number of ${draft.dimension} (entities)` };
  const metrics = offered.flatMap((column) =>
    metricsOf(column).map((metric) => ({
      value: `${metric} ${column.name}`,
      text:
        metric === 'events' ? `number of “${column.name}” events` : `${METRIC_WORDS[metric]} ${column.name}`,
    })),
  );
  const events = metrics.filter(({ value }) => value.startsWith('events '));
  const others = metrics.filter(({ value }) => !value.startsWith('events '));
  return [...(draft.show === 'time' ? [] : [entities]), ...events, ...others];
}

function MeasureFields({ draft, dimension, onChange }: ShowProps) {
  const measure = measureOf(draft);
  const columns = activeColumns(dimension);
  const column = measure.of === 'entities' ? undefined : columnOf(dimension, measure.column);
  const set = (next: Partial<Measure>): void =>
    onChange((now) => withMeasure(now, { ...measureOf(now), ...next }));
  const options = measureOptions(draft, columns);
  const chosen = measure.of === 'entities' ? 'entities' : `${measure.of} ${measure.column}`;
  const choose = (value: string): void => {
    if (value === 'entities') {
      set({ of: 'entities' });
      return;
    }
    const [of, name] = [value.slice(0, value.indexOf(' ')) as Metric, value.slice(value.indexOf(' ') + 1)];
    set({ of, column: name, ...(name === measure.column ? {} : { test: ANY }) });
  };
  if (options.length === 0)
    return <p class="hint">This dimension has no events, so there is nothing to show over time.</p>;
  return (
    <>
      <Choice label="What to compute" value={chosen} options={options} onChange={choose} />
      {column?.isEvent && (
        <div class="counted" key={`${draft.show === 'time'} ${column.name}`}>
          <p class="label">Only events whose value is</p>
          <TestFields
            key={column.name}
            dimension={draft.dimension}
            column={column}
            test={measure.test}
            onChange={(test) => set({ test })}
          />
          <WindowFields
            dimension={draft.dimension}
            column={column}
            window={measure}
            onChange={(change) => onChange((now) => withWindow(now, change(measureOf(now))))}
          />
        </div>
      )}
    </>
  );
}

function GroupFields({ draft, dimension, onChange }: ShowProps) {
  const by = columnOf(dimension, draft.by);
  const groups = activeColumns(dimension).filter(
    ({ isEvent, kind }) => kind !== 'point' && (!isEvent || draft.measure.of === 'entities'),
  );
  return (
    <>
      <Choice
        label="For each"
        value={draft.by}
        options={columnOptions(groups)}
        onChange={(name) => onChange((now) => ({ ...now, by: name }))}
      />
      {by?.isEvent && draft.measure.of === 'entities' && (
        <WindowFields
          key={by.name}
          dimension={draft.dimension}
          column={by}
          window={draft.measure}
          onChange={(change) =>
            onChange((now) => ({ ...now, measure: { ...now.measure, ...change(now.measure) } }))
          }
        />
      )}
      <Entry
        label="At most"
        class="short"
        value={draft.limit}
        onChange={(limit) => onChange((now) => ({ ...now, limit }))}
      />
    </>
  );
}

const INTERVALS: readonly Interval[] = ['hours', 'days', 'weeks', 'months'];

const IntervalField = ({ draft, onChange }: ShowProps) => (
  <Choice
    label="Divide by"
    value={draft.interval}
    options={INTERVALS.map((name) => ({ value: name, text: name }))}
    onChange={(interval) => onChange((now) => ({ ...now, interval: interval as Interval }))}
  />
);

function MapFields({ draft, dimension, onChange }: ShowProps) {
  const points = activeColumns(dimension).filter(({ kind }) => kind === 'point');
  const column = columnOf(dimension, draft.point);
  if (points.length === 0) return <p class="hint">This dimension has no column of points on a map.</p>;
  return (
    <div class="fields">
      <Choice
        label="Places of"
        value={draft.point}
        options={columnOptions(points)}
        onChange={(point) => onChange((now) => ({ ...now, point }))}
      />
      {column?.isEvent && (
        <WindowFields
          key={column.name}
          dimension={draft.dimension}
          column={column}
          window={draft.measure}
          onChange={(change) =>
            onChange((now) => ({ ...now, measure: { ...now.measure, ...change(now.measure) } }))
          }
        />
      )}
    </div>
  );
}

/** The interface's limit, not counting the entity ID. */
const COLUMNS_MAX = 9;

function RowsFields({ draft, dimension, onChange }: ShowProps) {
  const attributes = activeColumns(dimension).filter(({ isEvent }) => !isEvent);
  const toggle = (name: string): void =>
    onChange((now) => {
      const has = now.columns.includes(name);
      return { ...now, columns: has ? now.columns.filter((one) => one !== name) : [...now.columns, name] };
    });
  return (
    <div class="fields">
      <fieldset class="checks">
        <legend class="label">Columns (at most {COLUMNS_MAX})</legend>
        {attributes.map(({ name }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={draft.columns.includes(name)}
              disabled={!draft.columns.includes(name) && draft.columns.length >= COLUMNS_MAX}
              onChange={() => toggle(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Entry
        label="At most"
        class="short"
        value={draft.limit}
        onChange={(limit) => onChange((now) => ({ ...now, limit }))}
      />
    </div>
  );
}
