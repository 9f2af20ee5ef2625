/** The conditions of a question on attributes and events, joined by all or any. */

import { Choice, Entry, type Option } from '../../parts/controls.js';
import { type Condition, type Draft, newCondition, SEGMENT, segmentCondition } from '../../query/draft.js';
import { type OnChange, operatorsOf } from '../../query/fields.js';
import { activeColumns, type Column, columnOf, type Dimension, ENTITY_ID } from '../../server/model.js';
import { TestFields } from './test-fields.js';
import { WindowFields } from './window-fields.js';

interface ConditionsProps {
  readonly draft: Draft;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Draft>;
}

export const columnOptions = (columns: readonly Column[]): Option[] =>
  columns.map(({ name, isEvent }) => ({ value: name, text: isEvent ? `${name} (events)` : name }));

export function Conditions({ draft, dimension, onChange }: ConditionsProps) {
  const { conditions, window } = draft;
  const columns = activeColumns(dimension);
  const set = (change: (all: readonly Condition[]) => readonly Condition[]): void =>
    onChange((now) => ({ ...now, conditions: change(now.conditions) }));
  const add = (): void => {
    const id = Math.max(0, ...conditions.map((condition) => condition.id)) + 1;
    if (columns.length > 0) set((all) => [...all, newCondition(id, columns[0], window)]);
  };
  return (
    <fieldset class="panel">
      <legend>Where</legend>
      {conditions.length === 0 && (
        <p class="hint">All {draft.dimension} are included. Add a condition to select some of them.</p>
      )}
      {conditions.length > 1 && (
        <Choice
          label="Include entities that satisfy"
          value={draft.join}
          options={[
            { value: 'and', text: 'all of these' },
            { value: 'or', text: 'any of these' },
          ]}
          onChange={(join) => onChange((now) => ({ ...now, join: join === 'or' ? 'or' : 'and' }))}
        />
      )}
      <ul class="conditions">
        {conditions.map((condition) => (
          <li key={condition.id}>
            <ConditionFields
              condition={condition}
              dimension={dimension}
              onChange={(change) =>
                set((all) => all.map((one) => (one.id === condition.id ? change(one) : one)))
              }
              onRemove={() => set((all) => all.filter(({ id }) => id !== condition.id))}
            />
          </li>
        ))}
      </ul>
      <button type="button" onClick={add} disabled={columns.length === 0}>
        Add a condition
      </button>
      {dimension !== undefined && dimension.segments.length > 0 && (
        <Choice
          label="Beside it, the same for the segment"
          value={draft.beside}
          options={[
            { value: '', text: 'none' },
            ...dimension.segments.map((name) => ({ value: name, text: name })),
          ]}
          onChange={(beside) => onChange((now) => ({ ...now, beside }))}
        />
      )}
    </fieldset>
  );
}

interface FieldsProps {
  readonly condition: Condition;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Condition>;
  readonly onRemove: () => void;
}

function ConditionFields({ condition, dimension, onChange, onRemove }: FieldsProps) {
  const column = columnOf(dimension, condition.column);
  const segments = dimension?.segments ?? [];
  const choose = (name: string): void => {
    if (name === SEGMENT) onChange(({ id }) => segmentCondition(id, segments[0]));
    const chosen = columnOf(dimension, name);
    if (chosen === undefined) return;
    onChange(({ id, from, to }) => newCondition(id, chosen, { from, to }));
  };
  const id = columnOf(dimension, ENTITY_ID);
  const columns = [...activeColumns(dimension), ...(id === undefined ? [] : [id])];
  return (
    <div class="condition">
      <Choice
        quiet
        label="Column"
        value={condition.column}
        options={[
          ...columnOptions(columns),
          ...(segments.length > 0 ? [{ value: SEGMENT, text: 'in the segment' }] : []),
        ]}
        onChange={choose}
      />
      {condition.column === SEGMENT && (
        <Choice
          quiet
          label="Segment"
          value={condition.test.values[0]}
          options={segments.map((name) => ({ value: name, text: name }))}
          onChange={(name) => onChange((now) => ({ ...now, test: { operator: 'equals', values: [name] } }))}
        />
      )}
      {column !== undefined && operatorsOf(column).length > 0 && (
        <TestFields
          key={column.name}
          dimension={dimension?.name ?? ''}
          column={column}
          test={condition.test}
          onChange={(test) => onChange((now) => ({ ...now, test }))}
        />
      )}
      {column?.isEvent && (
        <>
          <WindowFields
            key={column.name}
            dimension={dimension?.name ?? ''}
            column={column.name}
            about={column.name}
            window={condition}
            onChange={(change) => onChange((now) => ({ ...now, ...change(now) }))}
          />
          <Entry
            label="at least, times"
            value={condition.atLeast}
            class="short"
            onChange={(atLeast) => onChange((now) => ({ ...now, atLeast }))}
          />
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={condition.negated}
          onChange={({ currentTarget: { checked } }) => onChange((now) => ({ ...now, negated: checked }))}
        />
        not
      </label>
      <button
        type="button"
        class="quiet remove"
        aria-label={`Remove the condition on ${condition.column === SEGMENT ? 'a segment' : condition.column}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </div>
  );
}
