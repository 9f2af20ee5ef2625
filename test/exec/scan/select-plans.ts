/** Generated plans of ungrouped rows over the columns of test/storage/stored.ts, and their joined tables. */
import type { Prng } from '../../../src/base/index.js';
import type { Condition, Expression, Input, Join, SelectPlan, SortKey } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { COLUMNS } from '../../storage/stored.js';
import { generateCondition, generateTest } from '../condition/conditions.js';
import { WINDOW_START } from '../extract/extraction.js';
import {
  ATTRIBUTE_INPUTS,
  BOOLEAN,
  columnOf,
  conditionInput,
  dateInput,
  INTEGER,
  inputAt,
  inputOf,
  PLAIN,
  type PlainTable,
  TEXT,
  withAllOutputs,
} from './select-rows.js';

const generated = (prng: Prng): Condition =>
  generateCondition(prng, { columns: COLUMNS, idCount: 400, textCount: 30, depth: 2 });

const constant = (value: bigint | string, input: Input): Expression => ({
  op: 'constant',
  type: input.type,
  value,
});

/** Attributes, some conditions, the value and date of events, then joined columns. */
function generateInputs(prng: Prng, eventId: number | null, joined: readonly Input[]): Input[] {
  const conditions = Array.from({ length: prng.below(3) }, () => conditionInput(generated(prng)));
  const event = eventId === null ? [] : [inputOf(columnOf(eventId)), dateInput(eventId)];
  return [
    ...ATTRIBUTE_INPUTS.filter(() => prng.chance(0.6)),
    inputOf(columnOf(3)),
    ...conditions,
    ...event,
    ...joined,
  ];
}

function generateFilter(prng: Prng, plan: Pick<SelectPlan, 'inputs'>): Expression | null {
  const compared = plan.inputs.flatMap((input, at) =>
    input.type.type === 'decimal' || (input.type.type === 'text' && input.from !== 'condition') ? [at] : [],
  );
  if (prng.chance(0.4)) return null;
  const members = Array.from({ length: prng.between(1, 2) }, (): Expression => {
    const at = prng.pick(compared);
    const of = inputAt(plan, at);
    if (prng.chance(0.3)) return { op: 'is-null', type: BOOLEAN, of, negated: prng.chance(0.7) };
    const value =
      of.type.type === 'text' ? prng.pick(['a', 'entity-2', '1', '\uffff']) : BigInt(prng.between(-90, 90));
    const comparison = prng.pick(['<', '>=', '<>'] as const);
    return { op: 'compare', type: BOOLEAN, comparison, left: of, right: constant(value, plan.inputs[at]) };
  });
  return members.length === 1 ? members[0] : { op: 'and', type: BOOLEAN, members };
}

export function generateOrder(prng: Prng, plan: Pick<SelectPlan, 'inputs'>, keyCount: number): SortKey[] {
  return Array.from({ length: keyCount }, () => {
    const input = inputAt(plan, prng.below(plan.inputs.length));
    const { type } = input;
    const of: Expression =
      type.type === 'decimal' && prng.chance(0.3)
        ? { op: 'arithmetic', type: { type: 'decimal', scale: 6 }, operator: '*', left: input, right: input }
        : type.type === 'text' && prng.chance(0.3)
          ? {
              op: 'call',
              type,
              name: 'concat-strict',
              args: [input, { op: 'constant', type, value: 'x' }],
              unit: null,
            }
          : input;
    return { of, descending: prng.chance(0.5) };
  });
}

/** Two joined dimensions: by the texts of column 4, and by a column of the first joined dimension. */
export function generateTables(prng: Prng, texts: readonly string[]): PlainTable[] {
  const chosen = [...new Set(texts)].filter(() => prng.chance(0.5));
  const first = new Map<string, readonly Value[]>(
    chosen.map((text, at) => [
      text,
      [prng.chance(0.2) ? null : `group ${at % 5}`, prng.chance(0.2) ? null : 2n ** 60n + BigInt(at)],
    ]),
  );
  const second = new Map<string, readonly Value[]>(
    Array.from({ length: prng.below(5) }, (_, at) => [`group ${at}`, [at % 2 === 0]]),
  );
  return [
    { types: [TEXT, INTEGER], rows: first },
    { types: [BOOLEAN], rows: second },
  ];
}

const JOINED: readonly Input[] = [
  { type: TEXT, from: 'joined', join: 0, column: 0 },
  { type: INTEGER, from: 'joined', join: 0, column: 1 },
  { type: BOOLEAN, from: 'joined', join: 1, column: 0 },
];

export function generatePlan(prng: Prng, joins: number): SelectPlan {
  const events = prng.chance(0.4) ? prng.pick([21, 22, 23]) : null;
  const joinedInputs = joins === 0 ? [] : [inputOf(columnOf(4)), ...JOINED.slice(0, joins === 1 ? 2 : 3)];
  const inputs = generateInputs(prng, events, joinedInputs);
  const plan = { ...PLAIN, inputs };
  const from = WINDOW_START + prng.between(-10, 700);
  const window = prng.pick([
    { from: 0, to: 4e9 },
    { from, to: from + prng.below(500) },
  ]);
  const on = (input: Expression): Pick<Join, 'on' | 'kind' | 'condition' | 'dimensionId'> => ({
    on: input,
    kind: prng.pick(['inner', 'left']),
    condition: null,
    dimensionId: 9,
  });
  const key = inputs.findLastIndex((input) => input.from === 'attribute' && input.columnId === 4);
  const group = inputs.findLastIndex(
    (input) => input.from === 'joined' && input.join === 0 && input.column === 0,
  );
  return withAllOutputs({
    ...plan,
    condition: prng.chance(0.5) ? generated(prng) : null,
    filter: generateFilter(prng, plan),
    events:
      events === null
        ? null
        : {
            columnId: events,
            window,
            tests: prng.chance(0.5) ? [generateTest(prng, columnOf(events).kind, 30)] : [],
          },
    joins: [
      ...(joins > 0 ? [{ ...on(inputAt(plan, key)), columns: [] }] : []),
      ...(joins > 1 ? [{ ...on(inputAt(plan, group)), columns: [] }] : []),
    ],
  });
}
