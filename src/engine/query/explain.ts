/**
 * The rows of EXPLAIN: the operators of a SELECT, their shards, the estimated rows and, for ANALYZE, the measured ones.
 */
import { columnTotalsOf, type SelectPlan, type ValueSource } from '../../ir/index.js';
import type { Table } from '../../plan/index.js';
import type { LeafSummary, OperatorStats, ScanSummary, SpilledRows } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { type Field, type Value, vectorOf } from '../../vector/index.js';
import type { QueryFacts } from '../api.js';

const FIELDS: readonly Field[] = [
  { name: 'operator', type: { type: 'text' } },
  /** null = the main thread, over all shards. */
  { name: 'shard', type: { type: 'integer' } },
  { name: 'estimated-rows', type: { type: 'integer' } },
  { name: 'rows', type: { type: 'integer' } },
  { name: 'milliseconds', type: { type: 'float' } },
  { name: 'detail', type: { type: 'text' } },
];

export interface ExplainRow {
  readonly operator: string;
  readonly shard: number | null;
  readonly estimatedRows: number | null;
  readonly rows: number | null;
  readonly milliseconds: number | null;
  readonly detail: string;
}

/** Measurements of a run. */
export interface Analysis {
  /** By stage. */
  readonly stats: readonly (readonly OperatorStats[])[];
  /** Rows of the answer. */
  readonly rows: number;
  readonly milliseconds: number;
  readonly facts: QueryFacts;
}

/**
 * The rows of EXPLAIN in execution order. `analysis` is null if the SELECT was not run. With `isRestricted`, the caller may
 * not read all columns and rows, so the output contains neither the filters of hidden rows nor their number.
 */
export function explainTable(
  plan: SelectPlan,
  summaries: readonly ScanSummary[],
  analysis: Analysis | null,
  model: DatabaseModel | undefined,
  isRestricted = false,
): Table {
  const names = new Names(model, plan);
  const stats = analysis?.stats.flat() ?? [];
  const rows = [
    ...summaries.flatMap((summary) => scanRows(summary, names, stats, isRestricted)),
    ...plan.joins.map(({ dimensionId, kind }) => onMain('join', `${kind}, ${names.dimension(dimensionId)}`)),
    ...measuredRows(stats),
    ...mainRows(plan),
    ...(analysis === null
      ? []
      : [
          ...waitRows(analysis.facts),
          { ...onMain('answer', ''), rows: analysis.rows, milliseconds: analysis.milliseconds },
        ]),
  ];
  return tableOf(rows);
}

export function tableOf(rows: readonly ExplainRow[]): Table {
  const whole = (number: number | null): Value => (number === null ? null : BigInt(number));
  const columns = [
    rows.map(({ operator }): Value => operator),
    rows.map(({ shard }) => whole(shard)),
    rows.map(({ estimatedRows }) => whole(estimatedRows)),
    rows.map((row) => whole(row.rows)),
    rows.map(
      ({ milliseconds }): Value => (milliseconds === null ? null : Math.round(milliseconds * 1_000) / 1_000),
    ),
    rows.map(({ detail }): Value => detail),
  ];
  return {
    fields: FIELDS,
    columns: FIELDS.map(({ type }, index) => vectorOf(type, columns[index])),
    rowCount: rows.length,
  };
}

/** How much was spilled on all workers. */
export function spilledNotes(spilled: readonly SpilledRows[]): readonly string[] {
  const bytes = sum(spilled, (one) => one.bytes);
  if (bytes === 0) return [];
  const partitionCount = sum(spilled, (one) => one.partitionCount);
  const runCount = sum(spilled, (one) => one.runCount);
  const parts = [
    ...(partitionCount === 0 ? [] : [counted(partitionCount, 'partition')]),
    ...(runCount === 0 ? [] : [counted(runCount, 'sorted run')]),
  ];
  return [`spilled ${bytes} bytes in ${parts.join(' and ')}`];
}

/** What the query waited for, at least a millisecond. */
export function waitRows({ memoryWaitMs, slotWaitMs, versionWaitMs }: QueryFacts): readonly ExplainRow[] {
  const waits = [
    ['for memory', memoryWaitMs],
    ['for a slot of concurrent queries', slotWaitMs],
    ['for one version of the data', versionWaitMs],
  ] as const;
  return waits.flatMap(([detail, milliseconds]) =>
    milliseconds < 1 ? [] : [{ ...onMain('wait', detail), milliseconds }],
  );
}

export const EXPLAIN_FIELDS = FIELDS;

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const onMain = (operator: string, detail: string): ExplainRow => ({
  operator,
  shard: null,
  estimatedRows: null,
  rows: null,
  milliseconds: null,
  detail,
});

/** The scan of each shard and its conditions. */
function scanRows(
  summary: ScanSummary,
  names: Names,
  stats: readonly OperatorStats[],
  isRestricted: boolean,
): ExplainRow[] {
  const { shard, entityCount, segmentCount, estimatedRows, leaves } = summary;
  const measured = stats.filter((one) => one.shard === shard && one.operator === 'scan');
  const scan = {
    ...{ operator: 'scan', shard, estimatedRows: isRestricted ? null : estimatedRows },
    // Work that only kernels do is not measured by shard.
    rows: measured.length === 0 ? null : sum(measured, ({ rows }) => rows),
    milliseconds: measured.length === 0 ? null : sum(measured, ({ milliseconds }) => milliseconds),
    detail: isRestricted ? names.own : `${names.own}: ${entityCount} entities in ${segmentCount} segments`,
  };
  if (isRestricted) return [scan];
  const conditions = leaves.map(
    (leaf): ExplainRow => ({ ...onMain('condition', leafDetail(leaf, names)), shard }),
  );
  return [scan, ...conditions];
}

/** Describes one condition: its columns, skipped segments and kernels. */
export function leafDetail(leaf: LeafSummary, names: Names): string {
  const columns = leaf.columnIds.map((id) => names.column(id));
  const looked = leaf.segmentCount - leaf.skipped - leaf.whole;
  const by = leaf.kernels.length === 0 ? '' : ` by ${leaf.kernels.join(', ')}`;
  return `${columns.length === 0 ? 'entity-id' : [...new Set(columns)].join(', ')} (${leaf.over}): ${looked} segments looked at${by}, ${leaf.skipped} skipped, ${leaf.whole} taken whole`;
}

/** Measurements of the other operators of the shards, summed over the parts of the answer. */
function measuredRows(stats: readonly OperatorStats[]): ExplainRow[] {
  const sums = new Map<string, { row: ExplainRow; notes: Set<string>; spilled: SpilledRows[] }>();
  for (const { shard, operator, rows, milliseconds, notes, spilled } of stats) {
    if (operator === 'scan') continue;
    const key = `${shard} ${operator}`;
    const before = sums.get(key);
    const row = {
      ...{ operator, shard, estimatedRows: null, detail: '' },
      rows: (before?.row.rows ?? 0) + rows,
      milliseconds: (before?.row.milliseconds ?? 0) + milliseconds,
    };
    sums.set(key, {
      row,
      notes: new Set([...(before?.notes ?? []), ...notes]),
      spilled: [...(before?.spilled ?? []), ...(spilled == null ? [] : [spilled])],
    });
  }
  return [...sums.values()]
    .map(({ row, notes, spilled }) => ({ ...row, detail: [...notes, ...spilledNotes(spilled)].join('; ') }))
    .sort((a, b) => (a.shard ?? 0) - (b.shard ?? 0));
}

/** The operators after the scans and joins, over the rows of all shards. */
export function mainRows(plan: SelectPlan): ExplainRow[] {
  const { filter, events, grouping, having, distinct, order, offset, limit } = plan;
  const rows: ExplainRow[] = [];
  const add = (holds: boolean, operator: string, detail: string): void => {
    if (holds) rows.push(onMain(operator, detail));
  };
  if (plan.dimensionId === null) add(true, 'constant', 'one row, computed on the main thread');
  add(events !== null, 'events', 'a row per event');
  add(filter !== null, 'filter', 'row by row: conditions that no kernel can test');
  if (grouping !== null) {
    const keys = grouping.perEntity ? 'per entity' : `by ${counted(grouping.keys.length, 'key')}`;
    const lowered = columnTotalsOf(plan) !== null;
    add(
      true,
      'group',
      `${keys}, ${counted(grouping.aggregates.length, 'aggregate')}${lowered ? ', by kernels over whole columns' : ''}`,
    );
  }
  add(having !== null, 'having', 'of groups');
  add(distinct, 'distinct', 'of the output');
  add(order.length > 0, 'sort', `by ${counted(order.length, 'key')}`);
  add(limit !== null || offset > 0, 'limit', `${limit ?? 'all'} rows after ${offset}`);
  return rows;
}

/** Names of the dimensions and columns that plans contain as IDs. */
export class Names {
  readonly #model: DatabaseModel | undefined;
  readonly #dimensionId: number | null;

  constructor(model: DatabaseModel | undefined, { dimensionId }: { readonly dimensionId: number | null }) {
    this.#model = model;
    this.#dimensionId = dimensionId;
  }

  /** Name of the scanned dimension. */
  get own(): string {
    return this.#dimensionId === null ? '' : this.dimension(this.#dimensionId);
  }

  dimension(id: number): string {
    return this.#find(id)?.apiName ?? `dimension ${id}`;
  }

  column(id: number): string {
    const columns = this.#dimensionId === null ? undefined : this.#find(this.#dimensionId)?.columns.values();
    return [...(columns ?? [])].find((column) => column.id === id)?.apiName ?? `column ${id}`;
  }

  source(source: ValueSource): string {
    return source.from === 'entity-id' ? 'entity-id' : this.column(source.columnId);
  }

  #find(id: number) {
    return [...(this.#model?.dimensions.values() ?? [])].find((dimension) => dimension.id === id);
  }
}

const sum = <T>(each: readonly T[], of: (one: T) => number): number =>
  each.reduce((total, one) => total + of(one), 0);
