/** What a count or a list of values computes, and for which groups. */
import { Choice, Entry, type Option } from '../../parts/controls.js';
import type { Draft, Measure } from '../../query/draft.js';
import { ANY, type Metric, metricsOf } from '../../query/fields.js';
import { METRIC_WORDS } from '../../query/words.js';
import { activeColumns, type Column, columnOf } from '../../server/model.js';
import { columnOptions } from './column-options.js';
import type { ShowProps } from './show-props.js';
import { TestFields } from './test-fields.js';

export const CountFields = (props: ShowProps) => (
  <div class="fields">
    <MeasureFields {...props} />
    {props.draft.show === 'top' && <GroupFields {...props} />}
  </div>
);

/** Every measure of every column as options: `entities`, or `metric column`. */
function measureOptions(draft: Draft, columns: readonly Column[]): Option[] {
  const entities = { value: 'entities', text: `number of ${draft.dimension} (entities)` };
  const metrics = columns.flatMap((column) =>
    metricsOf(column).map((metric) => ({
      value: `${metric} ${column.name}`,
      text:
        metric === 'events' ? `number of “${column.name}” events` : `${METRIC_WORDS[metric]} ${column.name}`,
    })),
  );
  const events = metrics.filter(({ value }) => value.startsWith('events '));
  const others = metrics.filter(({ value }) => !value.startsWith('events '));
  return [entities, ...events, ...others];
}

function MeasureFields({ draft, dimension, onChange }: ShowProps) {
  const { measure } = draft;
  const columns = activeColumns(dimension);
  const column = measure.of === 'entities' ? undefined : columnOf(dimension, measure.column);
  const set = (next: Partial<Measure>): void =>
    onChange((now) => ({ ...now, measure: { ...now.measure, ...next } }));
  const chosen = measure.of === 'entities' ? 'entities' : `${measure.of} ${measure.column}`;
  const choose = (value: string): void => {
    if (value === 'entities') {
      set({ of: 'entities' });
      return;
    }
    const [of, name] = [value.slice(0, value.indexOf(' ')) as Metric, value.slice(value.indexOf(' ') + 1)];
    set({ of, column: name, ...(name === measure.column ? {} : { test: ANY }) });
  };
  return (
    <>
      <Choice
        label="What to compute"
        value={chosen}
        options={measureOptions(draft, columns)}
        onChange={choose}
      />
      {column?.isEvent && (
        <div class="counted" key={column.name}>
          <p class="label">Only events whose value is</p>
          <TestFields
            dimension={draft.dimension}
            column={column}
            test={measure.test}
            onChange={(test) => set({ test })}
          />
        </div>
      )}
    </>
  );
}

function GroupFields({ draft, dimension, onChange }: ShowProps) {
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
      <Entry
        label="At most"
        class="short"
        value={draft.limit}
        onChange={(limit) => onChange((now) => ({ ...now, limit }))}
      />
    </>
  );
}
