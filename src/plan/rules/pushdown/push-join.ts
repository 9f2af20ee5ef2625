/** Moves conjuncts into the sides, the keys and the condition of a join. */
import {
  columnsOf,
  type Definition,
  type Expression,
  inputsOf,
  type JoinKey,
  type JoinKind,
  passedOn,
  type Relation,
  type RelationOf,
} from '../../../ir/index.js';
import {
  allOf,
  conjunctsOf,
  folded,
  isPresent,
  mayFail,
  readsAny,
  readsOnly,
  rejectsMissing,
  withoutRepeats,
} from '../../relations/expressions.js';
import { presentColumns } from '../../relations/properties.js';
import { type ColumnNumbers, columnSet, narrowed } from '../../relations/tree.js';
import { filtered } from '../merge.js';
import { factored, impliedBy } from './factor.js';

type Push = (input: Relation, conjuncts: readonly Expression[]) => Relation;

/** The rows of the join for which all conjuncts are true. */
export function pushIntoJoin(
  join: RelationOf<'join'>,
  conjuncts: readonly Expression[],
  push: Push,
  numbers: ColumnNumbers,
): Relation {
  const columns = columnsOf(join);
  const stronger = strongerJoin(join, conjuncts);
  const { kind } = stronger;
  const sides = [columnSet(stronger.left), columnSet(stronger.right)];
  const parts = distributed(stronger, conjuncts, sides);
  const keyed = withKeys(stronger, parts.on, sides, numbers);
  const left = withDefinitions(push(stronger.left, parts.left), keyed.definitions[0]);
  const right = withDefinitions(push(stronger.right, parts.right), keyed.definitions[1]);
  const condition = kind === 'mark' ? conjunctionOf(keyed.rest) : allOf(keyed.rest);
  const done: Relation = { ...stronger, left, right, keys: keyed.keys, condition };
  return narrowed(filtered(done, parts.above), columns);
}

/** The condition of a mark join, in which unknown is not false. */
const conjunctionOf = (members: readonly Expression[]): Expression | null =>
  members.length < 2 ? (members[0] ?? null) : { op: 'and', type: { type: 'boolean' }, members };

const onOf = ({ kind, condition }: RelationOf<'join'>): readonly Expression[] => {
  if (condition === null) return [];
  if (kind !== 'mark') return conjunctsOf(folded(condition)).flatMap(factored);
  return condition.op === 'and' ? condition.members : [condition];
};

/** The join without rows that a conjunct above drops because the columns of a side are missing in them. */
function strongerJoin(join: RelationOf<'join'>, conjuncts: readonly Expression[]): RelationOf<'join'> {
  const { kind, left, right } = join;
  if (kind !== 'left' && kind !== 'full') return join;
  const rejects = (side: Relation): boolean => {
    const columns = columnSet(side);
    return conjuncts.some((conjunct) => !mayFail(conjunct) && rejectsMissing(conjunct, columns));
  };
  const [withLeft, withRight] = [kind === 'left' || rejects(left), rejects(right)];
  if (withLeft && withRight) return { ...join, kind: 'inner' };
  if (kind === 'left') return join;
  if (withLeft) return { ...join, kind: 'left' };
  if (!withRight) return join;
  const keys = join.keys.map((key) => ({ ...key, left: key.right, right: key.left }));
  return { ...join, kind: 'left', left: right, right: left, keys };
}

interface Distribution {
  readonly left: readonly Expression[];
  readonly right: readonly Expression[];
  /** Conditions of the join. */
  readonly on: readonly Expression[];
  /** Conditions on its rows. */
  readonly above: readonly Expression[];
}

const KEEPS_LEFT: ReadonlySet<JoinKind> = new Set(['left', 'single', 'anti', 'mark', 'full']);

function distributed(
  join: RelationOf<'join'>,
  conjuncts: readonly Expression[],
  [ofLeft, ofRight]: readonly ReadonlySet<number>[],
): Distribution {
  const { kind } = join;
  const [left, right, own, on, above]: Expression[][] = [[], [], [], [], []];
  const isInner = kind === 'inner';
  for (const conjunct of conjuncts) {
    const movesDown = kind !== 'full' && !mayFail(conjunct);
    // These joins drop no left row. If no conjunct before drops one either, the conjunct may fail.
    const movesLeft =
      movesDown || (above.length === 0 && (kind === 'left' || kind === 'single' || kind === 'mark'));
    if (movesLeft && readsOnly(conjunct, ofLeft) && inputsOf(conjunct).size > 0) left.push(conjunct);
    else if (movesDown && isInner && readsOnly(conjunct, ofRight)) right.push(conjunct);
    else if (isInner) on.push(conjunct);
    else above.push(conjunct);
  }
  const present = kind === 'mark' ? presentColumns(join.right) : new Set<number>();
  for (const conjunct of onOf(join)) {
    const isSafe = !mayFail(conjunct) && inputsOf(conjunct).size > 0;
    const passesRight = kind !== 'full' && (kind !== 'mark' || isPresent(conjunct, present));
    if (isSafe && !KEEPS_LEFT.has(kind) && readsOnly(conjunct, ofLeft)) left.push(conjunct);
    else if (isSafe && passesRight && readsOnly(conjunct, ofRight)) right.push(conjunct);
    else own.push(conjunct);
  }
  on.unshift(...own);
  for (const conjunct of kind === 'full' || kind === 'mark' ? [] : on) {
    const [impliedLeft, impliedRight] = [impliedBy(conjunct, ofLeft), impliedBy(conjunct, ofRight)];
    if (impliedLeft !== null && !KEEPS_LEFT.has(kind)) left.push(impliedLeft);
    if (impliedRight !== null) right.push(impliedRight);
  }
  return { left: withoutRepeats(left), right: withoutRepeats(right), on: withoutRepeats(on), above };
}

interface Keyed {
  readonly keys: readonly JoinKey[];
  readonly rest: readonly Expression[];
  /** Columns to compute on each side. */
  readonly definitions: readonly [left: readonly Definition[], right: readonly Definition[]];
}

/** Makes keys of equalities between the sides. */
function withKeys(
  { keys }: RelationOf<'join'>,
  on: readonly Expression[],
  [ofLeft, ofRight]: readonly ReadonlySet<number>[],
  numbers: ColumnNumbers,
): Keyed {
  const made = [...keys];
  const rest: Expression[] = [];
  const [left, right]: Definition[][] = [[], []];
  const columnFor = (of: Expression, definitions: Definition[]): number => {
    if (of.op === 'input') return of.input;
    const column = numbers.next();
    definitions.push({ column, of });
    return column;
  };
  for (const conjunct of on) {
    const sides = equalSides(conjunct, ofLeft, ofRight);
    if (sides === null) rest.push(conjunct);
    else {
      const key = { left: columnFor(sides[0], left), right: columnFor(sides[1], right), nullsEqual: false };
      const isKnown = made.some((one) => one.left === key.left && one.right === key.right && !one.nullsEqual);
      if (!isKnown) made.push(key);
    }
  }
  return { keys: made, rest, definitions: [left, right] };
}

function equalSides(
  conjunct: Expression,
  ofLeft: ReadonlySet<number>,
  ofRight: ReadonlySet<number>,
): readonly [left: Expression, right: Expression] | null {
  if (conjunct.op !== 'compare' || conjunct.comparison !== '=' || mayFail(conjunct)) return null;
  const { left: a, right: b } = conjunct;
  const isOf = (side: Expression, columns: ReadonlySet<number>): boolean =>
    readsOnly(side, columns) && readsAny(side, columns);
  if (isOf(a, ofLeft) && isOf(b, ofRight)) return [a, b];
  return isOf(b, ofLeft) && isOf(a, ofRight) ? [b, a] : null;
}

function withDefinitions(input: Relation, definitions: readonly Definition[]): Relation {
  if (definitions.length === 0) return input;
  return { op: 'project', input, columns: [...columnsOf(input).map(passedOn), ...definitions] };
}
