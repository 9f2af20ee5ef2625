/**
 * An extraction as a SELECT, and its rows. Outputs: the ID, a value per key of the order, the score if rows are scored, the
 * distance and coordinates of the nearest point if distances are wanted, and the written value of each column.
 */
import type { Task } from '../../base/index.js';
import {
  BOOLEAN,
  type Condition,
  type Expression,
  type ExtractedRow,
  type ExtractPlan,
  FLOAT,
  INTEGER,
  type Input,
  inputExpression,
  type NearPlan,
  type OrderKey,
  type OrderValue,
  rankOfId,
  ranksById,
  type SelectPlan,
  type SortKey,
  TEXT,
} from '../../ir/index.js';
import type { SqlType, Value, Vector } from '../../vector/index.js';
import { valueAt } from '../../vector/index.js';
import type { Table } from '../select/table.js';

/** Rows that are made before other work may run. */
const SLICE_ROWS = 1_024;

const PARTS = ['distance', 'longitude', 'latitude'] as const;

/** Collects the inputs of a SELECT, one expression per input. */
class Inputs {
  readonly all: Input[] = [];

  add(input: Input): Expression {
    this.all.push(input);
    return inputExpression(input.type, this.all.length - 1);
  }
}

/** The SELECT of the plan's rows, in the order in which they are selected. */
export function selectOfExtraction(plan: ExtractPlan): SelectPlan {
  const { databaseId, dimensionId, scored, near, after, limit } = plan;
  const inputs = new Inputs();
  const id = inputs.add({ from: 'entity-id', type: TEXT });
  const keys = plan.order.map((key) => (key.by === 'entity-id' ? id : inputs.add(inputOf(key))));
  const score = scored && inputs.add({ from: 'score', type: INTEGER, conditions: scored });
  const points = near === null ? [] : PARTS.map((part) => inputs.add(nearestOf(near, part)));
  const order = orderOf(plan, { id, keys, score, points, inputs });
  const written = plan.columns.map((column) => inputs.add({ from: 'written', type: TEXT, column }));
  const outputs = [id, ...keys, ...(score === null ? [] : [score]), ...points, ...written];
  return {
    ...{ databaseId, dimensionId, condition: conditionOf(plan) },
    filter: null,
    ...{ events: null, joins: [], inputs: inputs.all, feeds: [], grouping: null, having: null },
    outputs: outputs.map((of, index) => ({ name: String(index), type: of.type, of })),
    ...{ distinct: false, order, offset: 0, limit },
    ...(after !== null && { after: positionValues(plan, after) }),
  };
}

const nearestOf = (near: NearPlan, part: (typeof PARTS)[number]): Input => ({
  ...{ from: 'nearest', type: FLOAT, near, part },
});

const TYPES: Readonly<Record<Extract<OrderKey, { by: 'attribute' }>['kind'], SqlType>> = {
  bits: BOOLEAN,
  code: TEXT,
  i32: INTEGER,
  i64: INTEGER,
};

const inputOf = ({ columnId, kind }: Extract<OrderKey, { readonly by: 'attribute' }>): Input => ({
  ...{ from: 'attribute', type: TYPES[kind], columnId, kind },
});

function conditionOf({ condition, ...plan }: ExtractPlan): Condition | null {
  const wanted = wantedRows(plan);
  if (condition === null || wanted === null) return condition ?? wanted;
  return { op: 'and', members: [condition, wanted] };
}

/** The rows with a score, or else with a matching point. A search by events alone finds no other rows. */
function wantedRows({ scored, near, order }: Omit<ExtractPlan, 'condition'>): Condition | null {
  if (scored !== null) return scored.length === 1 ? scored[0] : { op: 'or', members: scored };
  if (near === null || (near.from === 'events' && order.length === 0)) return null;
  const { columnId, tests } = near;
  if (near.from === 'attribute') return { op: 'attribute', columnId, tests };
  return { op: 'event', event: { columnId, window: near.window, tests }, minfreq: 1 };
}

interface OrderedBy {
  readonly id: Expression;
  readonly keys: readonly Expression[];
  readonly score: Expression | null;
  readonly points: readonly Expression[];
  readonly inputs: Inputs;
}

function orderOf(plan: ExtractPlan, { id, keys, score, points, inputs }: OrderedBy): SortKey[] {
  const ascending = (of: Expression): SortKey => ({ of, descending: false });
  if (score !== null) return [{ of: score, descending: true }, ascending(id)];
  if (ranksById(plan)) return [ascending(inputs.add({ from: 'rank', type: INTEGER })), ascending(id)];
  const [distance] = points;
  const byKeys = keys.map((of, key) => ({ of, descending: plan.order[key].descending }));
  const tie = keys.includes(id) ? [] : [ascending(id)];
  return [...(distance === undefined ? [] : [ascending(distance)]), ...byKeys, ...tie];
}

/** The position's value of each key of the SELECT's order. */
function positionValues(plan: ExtractPlan, after: NonNullable<ExtractPlan['after']>): Value[] {
  if (plan.scored !== null) return [BigInt(after.score), after.id];
  if (ranksById(plan)) return [BigInt(rankOfId(after.id)), after.id];
  const values = plan.order.map((key, index): Value => {
    const value = after.values[index];
    return key.by === 'attribute' && key.kind === 'bits' && value !== null ? value !== 0n : value;
  });
  const tie = plan.order.some(({ by }) => by === 'entity-id') ? [] : [after.id];
  return [...(plan.near === null ? [] : [after.distanceKm]), ...values, ...tie];
}

/** The rows of the plan's SELECT. */
export function* extractedRows(plan: ExtractPlan, { columns, rowCount }: Table): Task<ExtractedRow[]> {
  const reader = new RowReader(plan, columns);
  const rows: ExtractedRow[] = [];
  for (let row = 0; row < rowCount; row++) {
    rows.push(reader.at(row));
    if (row % SLICE_ROWS === SLICE_ROWS - 1) yield;
  }
  return rows;
}

class RowReader {
  readonly #id: Vector;
  readonly #keys: readonly Vector[];
  readonly #score: Vector | null;
  /** Distance, longitude, latitude; null = distances are not wanted. */
  readonly #points: readonly Vector[] | null;
  readonly #written: readonly Vector[];

  constructor({ order, scored, near }: ExtractPlan, [id, ...columns]: readonly Vector[]) {
    this.#id = id;
    this.#keys = columns.splice(0, order.length);
    this.#score = scored === null ? null : columns.splice(0, 1)[0];
    this.#points = near === null ? null : columns.splice(0, PARTS.length);
    this.#written = columns;
  }

  at(row: number): ExtractedRow {
    const point = this.#points?.map((column) => valueAt(column, row)) ?? [];
    const nearest = point.length === 0 || point[0] === null ? null : point.map(Number);
    const score = this.#score === null ? 0 : Number(valueAt(this.#score, row));
    return {
      position: {
        id: textAt(this.#id, row) ?? '',
        score,
        distanceKm: nearest?.[0] ?? 0,
        values: this.#keys.map((column) => orderValue(valueAt(column, row))),
      },
      nearest: nearest && { longitude: nearest[1], latitude: nearest[2] },
      values: this.#written.map((column) => textAt(column, row)),
    };
  }
}

function orderValue(value: Value): OrderValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' ? BigInt(value) : value;
}

function textAt(column: Vector, row: number): string | null {
  const value = valueAt(column, row);
  return value === null ? null : String(value);
}
