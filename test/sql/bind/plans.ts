/** Short notation for plans in tests; omitted parts are those of SELECT ... FROM users. */
import type {
  Condition,
  EventTest,
  Expression,
  Input,
  SelectPlan,
  ValueTest,
} from '../../../src/ir/index.js';
import type { SqlType } from '../../../src/vector/index.js';
import { COLUMN_IDS } from './where-rows.js';

export const INTEGER: SqlType = { type: 'integer' };
export const TEXT: SqlType = { type: 'text' };
export const FLOAT: SqlType = { type: 'float' };
export const BOOLEAN: SqlType = { type: 'boolean' };
export const DATETIME: SqlType = { type: 'datetime' };
export const MONEY: SqlType = { type: 'decimal', scale: 2 };

export const ALL = { from: 0, to: 2 ** 32 - 1 };

export function plan(said: Partial<SelectPlan>): SelectPlan {
  return {
    databaseId: 1,
    dimensionId: 2,
    condition: null,
    filter: null,
    events: null,
    joins: [],
    inputs: [],
    feeds: [],
    grouping: null,
    having: null,
    outputs: [],
    distinct: false,
    order: [],
    offset: 0,
    limit: null,
    ...said,
  };
}

export const input = (type: SqlType, index: number): Expression => ({ op: 'input', type, input: index });
export const constant = (type: SqlType, value: bigint | number | string | boolean | null): Expression => ({
  op: 'constant',
  type,
  value,
});
export const output = (name: string, of: Expression): SelectPlan['outputs'][number] => ({
  name,
  type: of.type,
  of,
});

export const NAME: Input = { type: TEXT, from: 'attribute', columnId: COLUMN_IDS.name, kind: 'code' };
export const AGE: Input = { type: INTEGER, from: 'attribute', columnId: COLUMN_IDS.age, kind: 'i64' };
export const CITY: Input = { type: TEXT, from: 'attribute', columnId: 7, kind: 'code' };
export const CLICK: Input = { type: TEXT, from: 'event-value', columnId: COLUMN_IDS.clicks, kind: 'code' };
export const CLICK_DATE: Input = { type: DATETIME, from: 'event-date', columnId: COLUMN_IDS.clicks };
export const SPENT: Input = { type: MONEY, from: 'event-value', columnId: COLUMN_IDS.spent, kind: 'i64' };

export const text = (texts: readonly string[], negated = false): ValueTest => ({
  kind: 'text',
  match: 'equals',
  texts,
  negated,
});
export const range = (low: bigint, high: bigint): ValueTest => ({
  kind: 'ranges',
  ranges: [{ low, high }],
  negated: false,
});
export const attribute = (column: keyof typeof COLUMN_IDS, test: ValueTest): Condition => ({
  op: 'attribute',
  columnId: COLUMN_IDS[column],
  tests: [test],
});
export const events = (
  column: 'clicks' | 'spent',
  tests: readonly ValueTest[] = [],
  window: EventTest['window'] = ALL,
): EventTest => ({ columnId: COLUMN_IDS[column], window, tests });
export const hasEvent = (event: EventTest): Condition => ({ op: 'event', event, minfreq: 1 });

export const aggregate = (
  said: Partial<NonNullable<SelectPlan['grouping']>['aggregates'][number]>,
): NonNullable<SelectPlan['grouping']>['aggregates'][number] => ({
  function: 'count',
  of: null,
  distinct: false,
  feed: 'rows',
  fraction: null,
  type: INTEGER,
  ...said,
});
