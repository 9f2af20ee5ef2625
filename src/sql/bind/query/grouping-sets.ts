/** GROUP BY with one or several sets of keys. Several sets are groupings of the same rows, one after the other. */
import {
  columnsOf,
  type Definition,
  type Expression,
  INTEGER,
  type Relation,
  type RelationAggregate,
  type RelationColumn,
  readColumn,
} from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { GroupingElement, SourcePosition, SqlNode } from '../../tree.js';
import { constantOf } from '../expressions/build.js';
import { extended } from './build.js';
import type { QueryContext } from './context.js';
import type { GroupingColumn, Groups } from './groups.js';
import type { PlanColumns } from './plan-columns.js';

/** Sets of one GROUP BY. */
const SETS_MAX = 256;

export class GroupingSets {
  /** null = one set with all keys. */
  readonly #sets: readonly (readonly RelationColumn[])[] | null;
  readonly #position: SourcePosition | null;

  /** `addKey` adds a key to the grouping. Throws 6000. */
  constructor(groupBy: readonly GroupingElement[], addKey: (node: SqlNode) => RelationColumn) {
    this.#position = positionOf(groupBy);
    let sets: (readonly RelationColumn[])[] = [[]];
    for (const element of groupBy) {
      const choices =
        element.is === 'key' ? [[addKey(element.of)]] : element.sets.map((set) => set.map(addKey));
      if (sets.length * choices.length > SETS_MAX) {
        throw sqlError(`GROUP BY has more than ${SETS_MAX} grouping sets`, this.#position);
      }
      sets = sets.flatMap((set) => choices.map((choice) => [...set, ...choice]));
    }
    this.#sets = sets.length === 1 ? null : sets;
  }

  get areSeveral(): boolean {
    return this.#sets !== null;
  }

  build(input: Relation, groups: Groups, { columns, tables }: QueryContext): Relation {
    if (this.#sets === null) return groups.build(input);
    const { definitions, aggregates, groupings } = groups.parts;
    const rows = extended(input, definitions);
    const table = tables.push(() => rows) - 1;
    const parts = this.#sets.map((set) => {
      const over = new SharedRows(table, columnsOf(rows), columns);
      return over.grouped(set, groups.keys, aggregates, groupings);
    });
    return unionOfAll(parts, [...groups.keys, ...aggregates, ...groupings], columns);
  }
}

/** The union of two or more relations with the columns `outputs`, nested as little as possible. */
function unionOfAll(
  parts: readonly Relation[],
  outputs: readonly RelationColumn[],
  columns: PlanColumns,
): Relation {
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)].map((half) =>
    half.length === 1
      ? half[0]
      : unionOfAll(
          half,
          outputs.map((output) => again(output, columns)),
          columns,
        ),
  );
  return unionOf(left, right, outputs);
}

/** The position of the first key. */
function positionOf(groupBy: readonly GroupingElement[]): SourcePosition | null {
  const nodes = groupBy.flatMap((element) => (element.is === 'key' ? [element.of] : element.sets.flat()));
  return nodes[0]?.position ?? null;
}

const again = ({ column, type }: RelationColumn, columns: PlanColumns): RelationColumn =>
  columns.add(type, columns.traits(column), columns.nameOf(column));

/** The rows, read once more under other column numbers. */
class SharedRows {
  readonly #relation: Relation;
  readonly #columns: PlanColumns;
  readonly #read = new Map<number, RelationColumn>();

  constructor(table: number, rows: readonly RelationColumn[], columns: PlanColumns) {
    this.#columns = columns;
    for (const { column, type } of rows) {
      this.#read.set(column, columns.add(type, columns.traits(column), columns.nameOf(column)));
    }
    const from = rows.map((_column, index) => index);
    this.#relation = { op: 'shared', table, columns: [...this.#read.values()], from };
  }

  /** The groups of one set: all keys, missing where they are not in the set, then the aggregates and GROUPINGs. */
  grouped(
    set: readonly RelationColumn[],
    keys: readonly RelationColumn[],
    aggregates: readonly RelationAggregate[],
    groupings: readonly GroupingColumn[],
  ): Relation {
    const own = ({ column }: RelationColumn): RelationColumn => this.#read.get(column) as RelationColumn;
    const isIn = (key: RelationColumn): boolean => set.some(({ column }) => column === key.column);
    const computed = aggregates.map((aggregate) => ({
      ...aggregate,
      ...this.#columns.add(aggregate.type, this.#columns.traits(aggregate.column), ''),
      of: aggregate.of === null ? null : own(aggregate.of),
    }));
    const input: Relation = {
      op: 'aggregate',
      input: this.#relation,
      keys: keys.filter(isIn).map(own),
      aggregates: computed,
    };
    const value = (key: RelationColumn): Expression =>
      isIn(key) ? readColumn(own(key)) : constantOf(key.type, null);
    const columns = this.#columns;
    const definitions: readonly Definition[] = [
      ...keys.map((key) => ({ column: again(key, columns).column, of: value(key) })),
      ...computed.map((aggregate) => ({
        column: again(aggregate, columns).column,
        of: readColumn(aggregate),
      })),
      ...groupings.map((grouping) => ({
        column: again(grouping, columns).column,
        of: constantOf(
          INTEGER,
          grouping.keys.reduce((bits, key) => 2n * bits + (isIn(key) ? 0n : 1n), 0n),
        ),
      })),
    ];
    return { op: 'project', input, columns: definitions };
  }
}

function unionOf(left: Relation, right: Relation, outputs: readonly RelationColumn[]): Relation {
  const [ofLeft, ofRight] = [columnsOf(left), columnsOf(right)];
  const columns = outputs.map(({ column, type }, index) => ({
    column,
    type,
    left: ofLeft[index].column,
    right: ofRight[index].column,
  }));
  return { op: 'set', operator: 'union', all: true, left, right, columns };
}
