/** Row filters of a key: comparisons of attributes, all of which a row must satisfy to be visible with the key. */
import { Choice } from '../parts/controls.js';
import { nextId } from '../query/behaviour-draft.js';
import { predicatesOf } from '../query/conditions.js';
import { newCondition } from '../query/draft.js';
import type { Test } from '../query/fields.js';
import type { Problems } from '../query/problems.js';
import { attributeColumns, columnOf, type Dimension, dimensionOf, type Model } from '../server/model.js';
import { TestFields } from './explore/test-fields.js';

export interface RowFilter {
  readonly id: number;
  readonly dimension: string;
  readonly column: string;
  readonly test: Test;
}

type Filter = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The filters in the form of the interface. */
export function filterOf(filters: readonly RowFilter[], model: Model, problems: Problems): Filter {
  const byDimension = new Map<string, Map<string, object>>();
  for (const { dimension, column: name, test } of filters) {
    const column = columnOf(dimensionOf(model, dimension), name);
    if (column === undefined) continue;
    const columns = byDimension.get(dimension) ?? new Map<string, object>();
    if (columns.has(name)) problems.add(`“${name}” has two row filters; a column has one.`);
    byDimension.set(dimension, columns.set(name, predicatesOf(test, column, problems)));
  }
  return Object.fromEntries([...byDimension].map(([name, columns]) => [name, Object.fromEntries(columns)]));
}

interface RowFiltersProps {
  readonly model: Model;
  readonly filters: readonly RowFilter[];
  readonly onChange: (change: (before: readonly RowFilter[]) => readonly RowFilter[]) => void;
}

export function RowFilters({ model, filters, onChange }: RowFiltersProps) {
  const filterable = model.dimensions.filter((dimension) => attributeColumns(dimension).length > 0);
  if (filterable.length === 0) return null;
  const fresh = (id: number, dimension: Dimension, column = attributeColumns(dimension)[0]): RowFilter => {
    const { test } = newCondition(id, column, { from: '', to: '' });
    return { id, dimension: dimension.name, column: column.name, test };
  };
  const put = (next: RowFilter): void =>
    onChange((before) => before.map((one) => (one.id === next.id ? next : one)));
  const add = (): void => onChange((before) => [...before, fresh(nextId(before), filterable[0])]);
  return (
    <details class="row-filters">
      <summary>
        {filters.length === 0
          ? 'All rows (add filters to hide some of them)'
          : 'Only rows that satisfy all of these'}
      </summary>
      <ul class="conditions">
        {filters.map((filter) => {
          const dimension = dimensionOf(model, filter.dimension);
          const column = columnOf(dimension, filter.column);
          return (
            <li key={filter.id} class="condition">
              <Choice
                quiet
                label="Dimension of the filter"
                value={filter.dimension}
                options={filterable.map(({ name }) => ({ value: name, text: name }))}
                onChange={(name) => {
                  const chosen = dimensionOf(model, name);
                  if (chosen !== undefined) put(fresh(filter.id, chosen));
                }}
              />
              <Choice
                quiet
                label="Column of the filter"
                value={filter.column}
                options={attributeColumns(dimension).map(({ name }) => ({ value: name, text: name }))}
                onChange={(name) => {
                  const chosen = columnOf(dimension, name);
                  if (dimension !== undefined && chosen !== undefined)
                    put(fresh(filter.id, dimension, chosen));
                }}
              />
              {column !== undefined && (
                <TestFields
                  key={`${filter.dimension} ${filter.column}`}
                  dimension={filter.dimension}
                  column={column}
                  test={filter.test}
                  onChange={(test) => put({ ...filter, test })}
                />
              )}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove the filter of ${filter.column}`}
                onClick={() => onChange((before) => before.filter(({ id }) => id !== filter.id))}
              >
                Remove
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" onClick={add}>
        Add a row filter
      </button>
    </details>
  );
}
