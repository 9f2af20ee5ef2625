/** Conditions that can fail pass a join only if no row that a condition before them drops would reach them. */
import t from 'tap';
import {
  type Expression,
  INTEGER,
  inputExpression,
  type JoinKind,
  type Relation,
  type RelationOf,
  TEXT,
} from '../../../../src/ir/index.js';
import { optimize, RULE_NAMES } from '../../../../src/plan/rules/rules.js';
import { scanPlan } from '../../../support/relations/generate.js';

const STATISTICS = { rows: () => 10, distinctValues: () => null };
const OTHERS = new Set(RULE_NAMES.filter((name) => name !== 'pushdown'));
const BOOLEAN = { type: 'boolean' } as const;

function scanOf(dimensionId: number, first: number): RelationOf<'scan'> {
  const types = [INTEGER, TEXT];
  const inputs = [
    { from: 'attribute', columnId: 1, kind: 'i64', type: INTEGER },
    { from: 'entity-id', type: TEXT },
  ] as const;
  const outputs = types.map((type, index) => ({ name: '', type, of: inputExpression(type, index) }));
  const columns = types.map((type, index) => ({ column: first + index, type }));
  return { op: 'scan', plan: scanPlan({ dimensionId, inputs, outputs }), columns };
}

const equal = (left: Expression, value: bigint): Expression => ({
  ...{ op: 'compare', type: BOOLEAN, comparison: '=', left },
  right: { op: 'constant', type: INTEGER, value },
});
/** Fails for left rows whose text is no integer. */
const FAILS = equal({ op: 'cast', type: INTEGER, of: inputExpression(TEXT, 1), lenient: false }, 1n);
const MARK = 20;

/** The operators above and below the join that have the condition that can fail. */
function placesOf(kind: JoinKind, conjuncts: readonly Expression[]): readonly string[] {
  const join: RelationOf<'join'> = {
    ...{ op: 'join', kind, left: scanOf(1, 0), right: scanOf(2, 10), condition: null },
    keys: [{ left: 0, right: 10, nullsEqual: false }],
    mark: kind === 'mark' ? MARK : null,
  };
  const condition: Expression = { op: 'and', type: BOOLEAN, members: conjuncts };
  const root: Relation = { op: 'filter', input: join, condition };
  const { root: pushed } = optimize({ databaseId: 1, root, outputs: [], tables: [] }, STATISTICS, OTHERS);
  const hasCast = (part: unknown): boolean =>
    JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? `${value}` : value)).includes('"cast"');
  const above = pushed.op === 'filter' && hasCast(pushed.condition) ? ['above'] : [];
  const below = pushed.op === 'filter' ? pushed.input : pushed;
  return [...above, ...(below.op === 'join' && hasCast(below.left) ? ['below'] : [])];
}

t.test('a condition that can fail stays above a join after a condition that stays there', async (t) => {
  const five: Expression = { op: 'constant', type: INTEGER, value: 5n };
  const members = [inputExpression(INTEGER, 10), five];
  const ofRight = equal({ op: 'coalesce', type: INTEGER, members }, 5n);
  const ofMark = inputExpression(BOOLEAN, MARK);
  t.strictSame(placesOf('left', [ofRight, FAILS]), ['above']);
  t.strictSame(placesOf('mark', [ofMark, FAILS]), ['above']);
});

t.test('it passes a join that drops no left row if it comes first', async (t) => {
  const ofLeft = equal(inputExpression(INTEGER, 0), 5n);
  const ofMark = inputExpression(BOOLEAN, MARK);
  t.strictSame(placesOf('mark', [FAILS, ofMark]), ['below']);
  t.strictSame(placesOf('mark', [ofLeft, FAILS, ofMark]), ['below']);
});
