/** Traversal of relations: the columns that they read and produce, copies with other columns, new column numbers. */
import { invariant } from '../../base/index.js';
import {
  columnsOf,
  passedOn,
  type Relation,
  type RelationColumn,
  type RelationPlan,
  type RelationSortKey,
  relationInputs,
  withInputs,
} from '../../ir/index.js';
import { renamedInputs } from './expressions.js';

/** Hands out column numbers that a plan does not use. */
export class ColumnNumbers {
  #next: number;

  constructor({ root, tables }: RelationPlan) {
    this.#next = 1 + Math.max(-1, ...[root, ...tables].map(greatestColumn));
  }

  next(): number {
    return this.#next++;
  }
}

function greatestColumn(relation: Relation): number {
  let greatest = -1;
  for (const part of relationsIn(relation)) {
    for (const { column } of newColumns(part)) greatest = Math.max(greatest, column);
  }
  return greatest;
}

/** The columns that the relation has and its inputs do not. */
function newColumns(relation: Relation): readonly Pick<RelationColumn, 'column'>[] {
  switch (relation.op) {
    case 'filter':
    case 'sort':
      return [];
    case 'window':
      return relation.functions;
    case 'series':
      return [relation.value];
    case 'join':
      return relation.mark === null ? [] : [{ column: relation.mark }];
    default:
      return columnsOf(relation);
  }
}

/** The relation and all below it. */
export function* relationsIn(relation: Relation): Generator<Relation> {
  yield relation;
  for (const input of relationInputs(relation)) yield* relationsIn(input);
}

/** Whether the relation is computed again in each round of a surrounding recursive relation. */
export function readsWorking(relation: Relation): boolean {
  const own = new Set<number>();
  const read = new Set<number>();
  for (const part of relationsIn(relation)) {
    if (part.op === 'recursive') own.add(part.recursion);
    if (part.op === 'working') read.add(part.recursion);
  }
  return [...read].some((recursion) => !own.has(recursion));
}

/** Rewrites every relation of a tree, inputs first. */
export function rewritten(relation: Relation, rewrite: (relation: Relation) => Relation): Relation {
  return rewrite(overInputs(relation, (input) => rewritten(input, rewrite)));
}

/** The relation over changed inputs. */
export function overInputs(relation: Relation, change: (input: Relation) => Relation): Relation {
  const inputs = relationInputs(relation);
  const changed = inputs.map(change);
  return changed.every((input, index) => input === inputs[index]) ? relation : withInputs(relation, changed);
}

/** Applies a change to the root and to each table. */
export function overTrees(plan: RelationPlan, change: (root: Relation) => Relation): RelationPlan {
  return { ...plan, tables: plan.tables.map(change), root: change(plan.root) };
}

export const columnSet = (relation: Relation): ReadonlySet<number> =>
  new Set(columnsOf(relation).map(({ column }) => column));

/** Renames columns that the operator produces or reads; its inputs remain as they are. */
export function renamed(relation: Relation, names: ReadonlyMap<number, number>): Relation {
  const name = (column: number): number => names.get(column) ?? column;
  const rename = <C extends RelationColumn>(columns: readonly C[]): C[] =>
    columns.map((column) => ({ ...column, column: name(column.column) }));
  const renameOne = (column: RelationColumn | null): RelationColumn | null =>
    column === null ? null : { ...column, column: name(column.column) };
  switch (relation.op) {
    case 'scan':
    case 'shared':
    case 'received':
    case 'working':
    case 'values':
    case 'question':
      return { ...relation, columns: rename(relation.columns) };
    case 'filter':
      return { ...relation, condition: renamedInputs(relation.condition, names) };
    case 'project': {
      const columns = relation.columns.map(({ column, of }) => ({
        column: name(column),
        of: renamedInputs(of, names),
      }));
      return { ...relation, columns };
    }
    case 'series': {
      const [first, last, step] = [relation.first, relation.last, relation.step].map((of) =>
        renamedInputs(of, names),
      );
      return { ...relation, value: rename([relation.value])[0], first, last, step };
    }
    case 'join': {
      const { keys, condition, mark } = relation;
      return {
        ...relation,
        keys: keys.map((key) => ({ ...key, left: name(key.left), right: name(key.right) })),
        condition: condition === null ? null : renamedInputs(condition, names),
        mark: mark === null ? null : name(mark),
      };
    }
    case 'aggregate': {
      const aggregates = rename(relation.aggregates).map((one) => ({ ...one, of: renameOne(one.of) }));
      return { ...relation, keys: rename(relation.keys), aggregates };
    }
    case 'window': {
      const functions = rename(relation.functions).map((one) => ({ ...one, args: rename(one.args) }));
      return {
        ...relation,
        partition: rename(relation.partition),
        order: rename<RelationSortKey>(relation.order),
        functions,
      };
    }
    case 'sort':
      return { ...relation, keys: rename<RelationSortKey>(relation.keys) };
    case 'recursive':
    case 'set': {
      const columns = relation.columns.map(({ column, type, left, right }) => {
        return { column: name(column), type, left: name(left), right: name(right) };
      });
      return { ...relation, columns };
    }
  }
}

/** A copy of a tree in which every column has a new number. `names` receives the new numbers. */
export function copied(relation: Relation, numbers: ColumnNumbers, names: Map<number, number>): Relation {
  for (const part of relationsIn(relation)) {
    for (const { column } of columnsOf(part)) if (!names.has(column)) names.set(column, numbers.next());
  }
  return rewritten(relation, (part) => renamed(part, names));
}

/** The relation with exactly these of its columns, in this order. */
export function narrowed(relation: Relation, columns: readonly RelationColumn[]): Relation {
  const own = columnsOf(relation);
  const same = own.length === columns.length && own.every(({ column }, i) => column === columns[i].column);
  return same ? relation : { op: 'project', input: relation, columns: columns.map(passedOn) };
}

export function columnOf(relation: Relation, column: number): RelationColumn {
  const found = columnsOf(relation).find((one) => one.column === column);
  invariant(found !== undefined, `column ${column} is a column of the relation`);
  return found;
}
