/**
 * Divides a relation plan into stages.
 * Invariant: the leftmost leaf of a stage on the shards is a scan, and every right side there is received, so that each row of
 * the result comes from one shard. Operators that need all rows run in one location: windows, full joins, sets other than unions,
 * and orders.
 */
import { invariant, QuarryError } from '../../base/index.js';
import {
  columnsOf,
  firstRowsOf,
  inputExpression,
  type Output,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  type SelectPlan,
  type Stage,
  type StageLocation,
} from '../../ir/index.js';
import { isBareScan } from '../relations/scans.js';
import { ColumnNumbers, narrowed, overInputs, readsWorking } from '../relations/tree.js';
import { absorbedInto } from '../rules/absorb.js';
import { firstRowsPerPartition } from './first-rows.js';

/** The stages in an order in which they can run; the rows of the last one are the answer. */
export function stagesOf(plan: RelationPlan): readonly Stage[] {
  return new Division(plan).stages();
}

const AGGREGATES_IN_ROUNDS =
  'the recursive part of WITH RECURSIVE cannot have aggregates that depend on its own rows; aggregate in the SELECT that reads it';

/** Work that belongs to no stage yet. */
type Fragment =
  | { readonly runs: 'operators'; readonly location: StageLocation; readonly root: Relation }
  /** A grouping in the form of a scan, which absorbs operators above; its keys read columns of `input`. */
  | {
      readonly runs: 'groups';
      readonly location: StageLocation;
      readonly input: Relation;
      readonly groups: RelationOf<'scan'>;
    };

class Division {
  readonly #plan: RelationPlan;
  readonly #numbers: ColumnNumbers;
  readonly #stages: Stage[] = [];
  /** The stage of each table. */
  readonly #tables: number[] = [];

  constructor(plan: RelationPlan) {
    this.#plan = plan;
    this.#numbers = new ColumnNumbers(plan);
  }

  stages(): readonly Stage[] {
    const { root, tables } = this.#plan;
    for (const table of tables) this.#tables.push(this.#stageOf(this.#fragment(table), columnsOf(table)));
    if (root.op === 'scan') this.#select(root);
    else {
      const last = this.#stageOf(this.#fragment(root), columnsOf(root));
      if (last !== this.#stages.length - 1) {
        const columns = columnsOf(root);
        this.#add({
          runs: 'operators',
          location: 'one',
          root: { op: 'received', stage: last, columns },
          columns,
        });
      }
    }
    return this.#stages;
  }

  #add(stage: Stage): number {
    return this.#stages.push(stage) - 1;
  }

  #select({ plan, columns }: RelationOf<'scan'>): number {
    return this.#add({ runs: 'select', plan, columns });
  }

  /** The stage whose rows are those of the fragment, with these columns. */
  #stageOf(fragment: Fragment, columns: readonly RelationColumn[]): number {
    if (fragment.runs === 'groups') {
      const { location, input, groups } = fragment;
      if (hasColumns(groups, columns))
        return this.#add({ runs: 'groups', location, input, plan: groups.plan, columns });
      return this.#stageOf(operators('one', this.#received(fragment, groups.columns)), columns);
    }
    const { location } = fragment;
    const root = narrowed(fragment.root, columns);
    if (root.op === 'received' && hasColumns(this.#stages[root.stage], columns)) return root.stage;
    return this.#add({ runs: 'operators', location, root, columns });
  }

  #received(fragment: Fragment, columns: readonly RelationColumn[]): Relation {
    return { op: 'received', stage: this.#stageOf(fragment, columns), columns };
  }

  /** The fragment as operators in one location. */
  #atOne(fragment: Fragment): Relation {
    if (fragment.runs === 'operators' && fragment.location === 'one') return fragment.root;
    return this.#received(fragment, columnsOfFragment(fragment));
  }

  /** The fragment as the right side of a join on the shards: received, or so cheap that every shard computes it. */
  #broadcast(fragment: Fragment): Relation {
    if (fragment.runs === 'operators' && fragment.location === 'one' && isReceived(fragment.root)) {
      return fragment.root;
    }
    return this.#received(fragment, columnsOfFragment(fragment));
  }

  /** The fragment as operators, in its location; groups are received. */
  #operators(fragment: Fragment): Fragment & { readonly runs: 'operators' } {
    return fragment.runs === 'operators' ? fragment : operators('one', this.#atOne(fragment));
  }

  #fragment(relation: Relation): Fragment {
    switch (relation.op) {
      case 'scan': {
        if (isBareScan(relation.plan)) return operators('shards', relation);
        const columns = relation.columns;
        return operators('one', { op: 'received', stage: this.#select(relation), columns });
      }
      case 'shared':
        return operators('one', this.#shared(relation));
      case 'values':
      case 'received':
        return operators('one', relation);
      case 'question': {
        const { question, columns } = relation;
        return operators('one', {
          op: 'received',
          stage: this.#add({ runs: 'question', question, columns }),
          columns,
        });
      }
      case 'working':
        invariant(false, 'the rows of a round are read only within its recursive relation');
        break;
      case 'recursive': {
        const left = this.#atOne(this.#fragment(relation.left));
        return operators('one', { ...relation, left, right: this.#inRounds(relation.right) });
      }
      case 'series': {
        const { location, root } = this.#operators(this.#fragment(relation.input));
        return operators(location, { ...relation, input: root });
      }
      case 'filter':
        return this.#firstRows(relation) ?? this.#overRows(relation, this.#fragment(relation.input));
      case 'project':
        return this.#overRows(relation, this.#fragment(relation.input));
      case 'sort':
        return this.#sort(relation, this.#fragment(relation.input));
      case 'aggregate': {
        const { location, root } = this.#operators(this.#fragment(relation.input));
        return { runs: 'groups', location, input: root, groups: groupsOf(relation, this.#plan.databaseId) };
      }
      case 'window':
        return operators('one', { ...relation, input: this.#atOne(this.#fragment(relation.input)) });
      case 'join':
        return this.#join(relation);
      case 'set':
        return this.#set(relation);
    }
  }

  /**
   * A part of a recursive relation: inputs that do not depend on the round are received once, and the rest is computed in each
   * round.
   */
  #inRounds(relation: Relation): Relation {
    if (!readsWorking(relation)) return this.#atOne(this.#fragment(relation));
    if (relation.op === 'aggregate' && relation.aggregates.length > 0) {
      throw new QuarryError(6000, AGGREGATES_IN_ROUNDS);
    }
    return overInputs(relation, (input) => this.#inRounds(input));
  }

  #overRows(relation: RelationOf<'filter'> | RelationOf<'project'>, input: Fragment): Fragment {
    if (input.runs === 'groups') {
      const groups = absorbedInto(input.groups, { ...relation, input: input.groups });
      if (groups !== null) return { ...input, groups };
    }
    const { location, root } = this.#operators(input);
    return operators(location, { ...relation, input: root });
  }

  /** A filter over a window that lets few rows of each partition pass: these are among the first rows on each shard. */
  #firstRows(filter: RelationOf<'filter'>): Fragment | null {
    if (filter.input.op !== 'window' || firstRowsOf(filter) === null) return null;
    const input = this.#operators(this.#fragment(filter.input.input));
    const first =
      input.location === 'shards' ? firstRowsPerPartition(filter, input.root, this.#numbers) : null;
    const rows = this.#atOne(first === null ? input : operators('shards', first));
    return operators('one', { ...filter, input: { ...filter.input, input: rows } });
  }

  #sort(sort: RelationOf<'sort'>, input: Fragment): Fragment {
    if (input.runs === 'groups') {
      const groups = absorbedInto(input.groups, { ...sort, input: input.groups });
      if (groups !== null) return { ...input, groups };
    }
    const { limit, offset } = sort;
    if (input.runs === 'operators' && input.location === 'shards' && limit !== null) {
      // The first rows of all shards are among the first rows of each.
      const first = operators('shards', { ...sort, input: input.root, offset: 0, limit: offset + limit });
      return operators('one', { ...sort, input: this.#atOne(first) });
    }
    return operators('one', { ...sort, input: this.#atOne(input) });
  }

  #join(join: RelationOf<'join'>): Fragment {
    const left = this.#operators(this.#fragment(join.left));
    const right = this.#fragment(join.right);
    if (join.kind === 'full' || left.location === 'one') {
      return operators('one', { ...join, left: this.#atOne(left), right: this.#atOne(right) });
    }
    return operators('shards', { ...join, left: left.root, right: this.#broadcast(right) });
  }

  #set(set: RelationOf<'set'>): Fragment {
    const [left, right] = [this.#fragment(set.left), this.#fragment(set.right)].map((side) =>
      this.#operators(side),
    );
    if (set.operator === 'union' && left.location === 'shards' && right.location === 'shards') {
      return operators('shards', { ...set, left: left.root, right: right.root });
    }
    return operators('one', { ...set, left: this.#atOne(left), right: this.#atOne(right) });
  }

  #shared(shared: RelationOf<'shared'>): Relation {
    const stage = this.#tables[shared.table];
    invariant(stage !== undefined, 'tables are computed before they are read');
    const columns = this.#stages[stage].columns.map(({ type }, index): RelationColumn => {
      const at = shared.from.indexOf(index);
      return { column: at === -1 ? this.#numbers.next() : shared.columns[at].column, type };
    });
    const received: Relation = { op: 'received', stage, columns };
    if (hasColumns({ columns }, shared.columns)) return received;
    const definitions = shared.columns.map(({ column, type }, index) => {
      return { column, of: inputExpression(type, columns[shared.from[index]].column) };
    });
    return { op: 'project', input: received, columns: definitions };
  }
}

const operators = (location: StageLocation, root: Relation): Fragment & { readonly runs: 'operators' } => ({
  runs: 'operators',
  location,
  root,
});

const columnsOfFragment = (fragment: Fragment): readonly RelationColumn[] =>
  (fragment.runs === 'groups' ? fragment.groups.columns : columnsOf(fragment.root)).map(
    ({ column, type }) => {
      return { column, type };
    },
  );

const hasColumns = (
  { columns }: { readonly columns: readonly RelationColumn[] },
  wanted: readonly RelationColumn[],
): boolean =>
  columns.length === wanted.length && columns.every(({ column }, index) => column === wanted[index].column);

function isReceived(relation: Relation): boolean {
  if (relation.op === 'project') return isReceived(relation.input);
  return relation.op === 'received' || relation.op === 'values';
}

/** A scan over groups: its SELECT has only the clauses after the grouping. */
function groupsOf({ keys, aggregates }: RelationOf<'aggregate'>, databaseId: number): RelationOf<'scan'> {
  const columns = [...keys, ...aggregates].map(({ column, type }) => ({ column, type }));
  const outputs = columns.map(({ column, type }, index): Output => {
    return { name: `c${column}`, type, of: inputExpression(type, index) };
  });
  const grouping: SelectPlan['grouping'] = {
    keys: keys.map(({ column, type }) => inputExpression(type, column)),
    perEntity: false,
    aggregates: aggregates.map(({ function: name, of, distinct, fraction, type }) => ({
      function: name,
      of: of === null ? null : inputExpression(of.type, of.column),
      distinct,
      feed: 'rows',
      fraction,
      type,
    })),
  };
  const plan: SelectPlan = {
    ...{
      databaseId,
      dimensionId: null,
      condition: null,
      filter: null,
      events: null,
      joins: [],
      inputs: [],
      feeds: [],
    },
    ...{ grouping, having: null, outputs, distinct: false, order: [], offset: 0, limit: null },
  };
  return { op: 'scan', plan, columns };
}
