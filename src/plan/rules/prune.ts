/**
 * Produces only columns that are read, and removes joins whose columns are not read: mark joins, and left joins with at
 * most one match. Every relation keeps at least one column, which carries the number of rows between stages.
 */
import {
  columnsOf,
  type Expression,
  inputsOf,
  type Output,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  readsOf,
  type SelectPlan,
} from '../../ir/index.js';
import { renamedInputs } from '../relations/expressions.js';
import { matchesAtMostOne } from '../relations/properties.js';
import { narrowed } from '../relations/tree.js';

export function prune(plan: RelationPlan): RelationPlan {
  const pruning = new Pruning(plan.tables.length);
  const root = narrowed(pruning.pruned(plan.root, numbersOf(columnsOf(plan.root))), columnsOf(plan.root));
  const tables = [...plan.tables];
  for (let table = tables.length - 1; table >= 0; table--) {
    tables[table] = pruning.table(table, tables[table]);
  }
  return { ...plan, ...renumbered(plan, root, tables, pruning) };
}

const numbersOf = (columns: readonly RelationColumn[]): ReadonlySet<number> =>
  new Set(columns.map(({ column }) => column));

/** Makes `shared` read the columns that tables still have; tables that nothing reads disappear. */
function renumbered(
  plan: RelationPlan,
  root: Relation,
  tables: readonly Relation[],
  pruning: Pruning,
): Pick<RelationPlan, 'root' | 'tables'> {
  const retained = plan.tables.map((_, table) => table).filter((table) => pruning.isRead(table));
  const change = (relation: Relation): Relation => {
    if (relation.op !== 'shared') return withChanged(relation, change);
    const from = relation.from.map((column) => pruning.position(relation.table, column));
    return { ...relation, table: retained.indexOf(relation.table), from };
  };
  return { root: change(root), tables: retained.map((table) => change(tables[table])) };
}

function withChanged(relation: Relation, change: (input: Relation) => Relation): Relation {
  if (relation.op === 'join' || relation.op === 'set' || relation.op === 'recursive') {
    return { ...relation, left: change(relation.left), right: change(relation.right) };
  }
  return 'input' in relation ? { ...relation, input: change(relation.input) } : relation;
}

class Pruning {
  /** By table: the columns that are read, as positions in the table. */
  readonly #read: Set<number>[];

  constructor(tableCount: number) {
    this.#read = Array.from({ length: tableCount }, () => new Set());
  }

  isRead(table: number): boolean {
    return this.#read[table].size > 0;
  }

  position(table: number, column: number): number {
    return [...this.#read[table]].sort((a, b) => a - b).indexOf(column);
  }

  table(table: number, root: Relation): Relation {
    if (!this.isRead(table)) return root;
    const retained = columnsOf(root).filter((_, index) => this.#read[table].has(index));
    return narrowed(this.pruned(root, numbersOf(retained)), retained);
  }

  /** The relation with the columns `read` and possibly others. */
  pruned(relation: Relation, read: ReadonlySet<number>): Relation {
    const within = (input: Relation, more: ReadonlySet<number>): Relation =>
      this.pruned(input, union(read, more));
    switch (relation.op) {
      case 'scan':
        return prunedScan(relation, read);
      case 'values':
        return prunedValues(relation, read);
      case 'shared': {
        const retained = retainedOf(relation.columns, read);
        for (const index of retained) this.#read[relation.table].add(relation.from[index]);
        const columns = retained.map((index) => relation.columns[index]);
        return { ...relation, columns, from: retained.map((index) => relation.from[index]) };
      }
      case 'received':
      case 'working':
      case 'question':
        return relation;
      case 'recursive': {
        const side = (name: 'left' | 'right'): Relation =>
          this.#exactly(relation[name], new Set(relation.columns.map((one) => one[name])));
        return { ...relation, left: side('left'), right: side('right') };
      }
      case 'series':
      case 'filter':
        return { ...relation, input: within(relation.input, readsOf(relation)) };
      case 'project': {
        const columns = retainedOf(columnsOf(relation), read).map((index) => relation.columns[index]);
        const project = { ...relation, columns };
        return { ...project, input: this.pruned(relation.input, readsOf(project)) };
      }
      case 'join':
        return this.#join(relation, read);
      case 'aggregate':
        return this.#aggregate(relation, read);
      case 'window': {
        const functions = relation.functions.filter(({ column }) => read.has(column));
        if (functions.length === 0) return this.pruned(relation.input, read);
        const window = { ...relation, functions };
        return { ...window, input: this.#exactly(relation.input, union(read, readsOf(window))) };
      }
      case 'sort':
        return { ...relation, input: this.#exactly(relation.input, union(read, readsOf(relation))) };
      case 'set': {
        const isUnion = relation.operator === 'union';
        const columns = isUnion
          ? retainedOf(relation.columns, read).map((index) => relation.columns[index])
          : relation.columns;
        const side = (name: 'left' | 'right'): Relation =>
          this.#exactly(relation[name], new Set(columns.map((one) => one[name])));
        return { ...relation, columns, left: side('left'), right: side('right') };
      }
    }
  }

  /** The relation without columns that are not read, for operators that copy the columns of their input. */
  #exactly(relation: Relation, read: ReadonlySet<number>): Relation {
    const pruned = this.pruned(relation, read);
    const columns = columnsOf(pruned);
    const retained = retainedOf(columns, read).map((index) => columns[index]);
    return narrowed(pruned, retained);
  }

  #join(join: RelationOf<'join'>, read: ReadonlySet<number>): Relation {
    const { kind, left, right, mark } = join;
    const isRightRead = columnsOf(right).some(({ column }) => read.has(column));
    if (kind === 'mark' && mark !== null && !read.has(mark)) return this.pruned(left, read);
    if ((kind === 'left' || kind === 'single') && !isRightRead && matchesAtMostOne(join)) {
      return this.pruned(left, read);
    }
    const own = union(read, readsOf(join));
    return { ...join, left: this.#exactly(left, own), right: this.#exactly(right, own) };
  }

  #aggregate(aggregate: RelationOf<'aggregate'>, read: ReadonlySet<number>): Relation {
    const { keys } = aggregate;
    const retained = aggregate.aggregates.filter(({ column }) => read.has(column));
    // A group without keys is one row, for which at least one aggregate must remain.
    const aggregates = keys.length + retained.length === 0 ? aggregate.aggregates.slice(0, 1) : retained;
    const pruned = { ...aggregate, aggregates };
    return { ...pruned, input: this.pruned(aggregate.input, readsOf(pruned)) };
  }
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...a, ...b]);
}

/** Positions of the columns that are read; of one column if none is. */
function retainedOf(columns: readonly RelationColumn[], read: ReadonlySet<number>): readonly number[] {
  const retained = columns.map((_, index) => index).filter((index) => read.has(columns[index].column));
  if (retained.length > 0 || columns.length === 0) return retained;
  const cheapest = columns.findIndex(({ type }) => type.type !== 'text' && type.type !== 'json');
  return [Math.max(0, cheapest)];
}

function prunedValues(values: RelationOf<'values'>, read: ReadonlySet<number>): Relation {
  const retained = retainedOf(values.columns, read);
  return {
    ...values,
    columns: retained.map((index) => values.columns[index]),
    rows: values.rows.map((row) => retained.map((index) => row[index])),
  };
}

function prunedScan({ plan, columns }: RelationOf<'scan'>, read: ReadonlySet<number>): Relation {
  // The outputs determine which rows of DISTINCT are equal.
  const retained = plan.distinct ? columns.map((_, index) => index) : retainedOf(columns, read);
  const isRead = plan.grouping === null || plan.distinct || columns.some(({ column }) => read.has(column));
  const outputs = retained.map((index) => (isRead ? plan.outputs[index] : withoutValue(plan.outputs[index])));
  const pruned = withUsedInputs(withUsedAggregates({ ...plan, outputs }));
  return { op: 'scan', plan: pruned, columns: retained.map((index) => columns[index]) };
}

/** An output of groups that are only counted: it reads no key, and rows without values need no order. */
const withoutValue = (output: Output): Output => {
  const { type } = output;
  return { ...output, of: { op: 'constant', type, value: null } };
};

/** Omits aggregates that neither having nor order nor an output reads. */
function withUsedAggregates(plan: SelectPlan): SelectPlan {
  const { grouping, having, order, outputs } = plan;
  if (grouping === null) return plan;
  const used = new Set<number>();
  for (const of of [...outputs, ...order].map((one) => one.of))
    for (const input of inputsOf(of)) used.add(input);
  if (having !== null) for (const input of inputsOf(having)) used.add(input);
  const keyCount = grouping.keys.length;
  const retained = grouping.aggregates.map((_, index) => index).filter((index) => used.has(keyCount + index));
  if (retained.length === grouping.aggregates.length) return plan;
  if (retained.length + keyCount === 0) retained.push(0);
  const names = new Map(retained.map((index, at) => [keyCount + index, keyCount + at]));
  const aggregates = retained.map((index) => grouping.aggregates[index]);
  return overGroups({ ...plan, grouping: { ...grouping, aggregates } }, names);
}

function overGroups(plan: SelectPlan, names: ReadonlyMap<number, number>): SelectPlan {
  return {
    ...plan,
    having: plan.having === null ? null : renamedInputs(plan.having, names),
    outputs: plan.outputs.map((output) => ({ ...output, of: renamedInputs(output.of, names) })),
    order: plan.order.map((key) => ({ ...key, of: renamedInputs(key.of, names) })),
  };
}

/** Omits inputs that no expression reads. Plans with joins and feeds keep theirs. */
function withUsedInputs(plan: SelectPlan): SelectPlan {
  const { joins, feeds, grouping, filter } = plan;
  if (joins.length > 0 || feeds.length > 0) return plan;
  const overRows: (Expression | null)[] =
    grouping === null
      ? [filter, ...plan.outputs.map(({ of }) => of), ...plan.order.map(({ of }) => of)]
      : [filter, ...grouping.keys, ...grouping.aggregates.map(({ of }) => of)];
  const used = new Set<number>();
  for (const expression of overRows)
    if (expression !== null) for (const input of inputsOf(expression)) used.add(input);
  if (used.size === plan.inputs.length) return plan;
  const retained = plan.inputs.map((_, index) => index).filter((index) => used.has(index));
  const names = new Map(retained.map((index, at) => [index, at]));
  const change = (expression: Expression): Expression => renamedInputs(expression, names);
  const changed = {
    ...plan,
    inputs: retained.map((index) => plan.inputs[index]),
    filter: filter === null ? null : change(filter),
  };
  if (grouping === null) return overGroups(changed, names);
  const aggregates = grouping.aggregates.map((one) => ({
    ...one,
    of: one.of === null ? null : change(one.of),
  }));
  return { ...changed, grouping: { ...grouping, keys: grouping.keys.map(change), aggregates } };
}
