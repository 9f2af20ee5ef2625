/**
 * Properties of the rows of a relation that are known without running it: columns that are never missing, unique
 * columns.
 */
import type {
  Input,
  Relation,
  RelationAggregate,
  RelationOf,
  SelectPlan,
  WindowFunctionName,
} from '../../ir/index.js';
import { conjunctsOf, isPresent, rejectsMissing } from './expressions.js';
import { columnSet } from './tree.js';

/** The columns that are missing in no row. */
export function presentColumns(relation: Relation): ReadonlySet<number> {
  switch (relation.op) {
    case 'scan': {
      const present = presentOutputs(relation.plan);
      return new Set(relation.columns.filter((_, index) => present[index]).map(({ column }) => column));
    }
    case 'shared':
    case 'received':
    case 'working':
    case 'recursive':
    case 'question':
      return new Set();
    case 'values': {
      const { columns, rows } = relation;
      const full = columns.filter((_, index) => rows.every((row) => row[index] !== null));
      return new Set(full.map(({ column }) => column));
    }
    case 'filter': {
      const present = new Set(presentColumns(relation.input));
      for (const conjunct of conjunctsOf(relation.condition)) {
        for (const column of columnSet(relation.input)) {
          if (rejectsMissing(conjunct, new Set([column]))) present.add(column);
        }
      }
      return present;
    }
    case 'project': {
      const present = presentColumns(relation.input);
      return new Set(relation.columns.filter(({ of }) => isPresent(of, present)).map(({ column }) => column));
    }
    case 'join':
      return presentInJoin(relation);
    case 'aggregate': {
      const present = presentColumns(relation.input);
      const keys = relation.keys.filter(({ column }) => present.has(column));
      const counts = relation.aggregates.filter((one) => isAlwaysCounted(one, relation, present));
      return new Set([...keys, ...counts].map(({ column }) => column));
    }
    case 'window': {
      const present = new Set(presentColumns(relation.input));
      for (const one of relation.functions) if (NUMBERING.has(one.function)) present.add(one.column);
      return present;
    }
    case 'sort':
      return presentColumns(relation.input);
    case 'series':
      return new Set([...presentColumns(relation.input), relation.value.column]);
    case 'set': {
      const [left, right] = [presentColumns(relation.left), presentColumns(relation.right)];
      const keeps = relation.columns.filter(
        (one) => left.has(one.left) && (relation.operator === 'except' || right.has(one.right)),
      );
      return new Set(keeps.map(({ column }) => column));
    }
  }
}

const NUMBERING: ReadonlySet<WindowFunctionName> = new Set([
  ...(['row-number', 'rank', 'dense-rank', 'percent-rank', 'cume-dist', 'count'] as const),
]);

/** Aggregates other than counts are missing for groups without values; float sums also if they are not finite. */
function isAlwaysCounted(
  { function: name, of }: RelationAggregate,
  { keys }: RelationOf<'aggregate'>,
  present: ReadonlySet<number>,
): boolean {
  if (name === 'count') return true;
  return (name === 'min' || name === 'max') && keys.length > 0 && of !== null && present.has(of.column);
}

function presentInJoin({
  kind,
  left,
  right,
  keys,
  mark,
  condition,
}: RelationOf<'join'>): ReadonlySet<number> {
  const present = new Set(kind === 'full' ? [] : presentColumns(left));
  if (kind === 'inner') {
    for (const column of presentColumns(right)) present.add(column);
    for (const key of keys) if (!key.nullsEqual) present.add(key.left).add(key.right);
  }
  if (kind === 'semi') for (const key of keys) if (!key.nullsEqual) present.add(key.left);
  if (kind === 'mark' && mark !== null) {
    const of = new Set([...presentColumns(left), ...presentColumns(right)]);
    const known = keys.every((key) => key.nullsEqual || (of.has(key.left) && of.has(key.right)));
    if (known && (condition === null || isPresent(condition, of))) present.add(mark);
  }
  return present;
}

const inputIsPresent = (input: Input): boolean => input.from === 'entity-id' || input.from === 'event-date';

function presentOutputs({ inputs, grouping, outputs }: SelectPlan): readonly boolean[] {
  const present = new Set<number>();
  inputs.forEach((input, index) => {
    if (inputIsPresent(input)) present.add(index);
  });
  if (grouping === null) return outputs.map(({ of }) => isPresent(of, present));
  const ofGroups = new Set<number>();
  grouping.keys.forEach((key, index) => {
    if (isPresent(key, present)) ofGroups.add(index);
  });
  grouping.aggregates.forEach((aggregate, index) => {
    if (aggregate.function === 'count') ofGroups.add(grouping.keys.length + index);
  });
  return outputs.map(({ of }) => isPresent(of, ofGroups));
}

/** Sets of columns in whose values no two rows agree, where missing values are equal. Empty set: at most one row. */
export function uniqueSets(relation: Relation): readonly ReadonlySet<number>[] {
  switch (relation.op) {
    case 'scan':
      return uniqueOutputs(relation);
    case 'values':
      return relation.rows.length <= 1 ? [new Set()] : [];
    case 'filter':
      return uniqueSets(relation.input);
    case 'sort':
      return relation.limit !== null && relation.limit <= 1 ? [new Set()] : uniqueSets(relation.input);
    case 'window':
      return uniqueSets(relation.input);
    case 'project': {
      const names = new Map<number, number>();
      for (const { column, of } of relation.columns) if (of.op === 'input') names.set(of.input, column);
      const passed = uniqueSets(relation.input).filter((set) =>
        [...set].every((column) => names.has(column)),
      );
      return passed.map((set) => new Set([...set].map((column) => names.get(column) ?? column)));
    }
    case 'series':
      return uniqueSets(relation.input).map((set) => new Set([...set, relation.value.column]));
    case 'aggregate':
      return [new Set(relation.keys.map(({ column }) => column)), ...keySets(relation)];
    case 'join':
      return uniqueInJoin(relation);
    default:
      return [];
  }
}

/** Sets of the input within the keys remain unique. */
function keySets({ input, keys }: RelationOf<'aggregate'>): readonly ReadonlySet<number>[] {
  const all = new Set(keys.map(({ column }) => column));
  return uniqueSets(input).filter((set) => [...set].every((column) => all.has(column)));
}

function uniqueInJoin(join: RelationOf<'join'>): readonly ReadonlySet<number>[] {
  const { kind, left } = join;
  if (kind === 'full') return [];
  if (kind !== 'inner' && kind !== 'left') return uniqueSets(left);
  const found = [...(matchesAtMostOne(join) ? uniqueSets(left) : [])];
  if (kind === 'inner' && matchesAtMostOne(flipped(join))) found.push(...uniqueSets(join.right));
  return found;
}

const flipped = (join: RelationOf<'join'>): RelationOf<'join'> => ({
  ...join,
  left: join.right,
  right: join.left,
  keys: join.keys.map((key) => ({ ...key, left: key.right, right: key.left })),
});

/** Whether every left row has at most one match, because the right side's keys are unique. */
export function matchesAtMostOne({ right, keys }: RelationOf<'join'>): boolean {
  const compared = new Set(keys.map((key) => key.right));
  return uniqueSets(right).some((set) => [...set].every((column) => compared.has(column)));
}

function uniqueOutputs({ plan, columns }: RelationOf<'scan'>): readonly ReadonlySet<number>[] {
  const { inputs, grouping, outputs, dimensionId, joins, events } = plan;
  if (dimensionId === null && grouping === null) return [new Set()];
  if (grouping === null) {
    if (joins.length > 0 || events !== null) return [];
    const ids = outputs.findIndex(({ of }) => of.op === 'input' && inputs[of.input].from === 'entity-id');
    return ids === -1 ? [] : [new Set([columns[ids].column])];
  }
  if (grouping.perEntity) return [];
  const found = new Set<number>();
  for (let key = 0; key < grouping.keys.length; key++) {
    const at = outputs.findIndex(({ of }) => of.op === 'input' && of.input === key);
    if (at === -1) return [];
    found.add(columns[at].column);
  }
  return [found];
}
