/** TO MERGE: a plain substitute for stagesOf(optimize(plan, statistics)) of src/plan. */
import {
  columnsOf,
  type Expression,
  isRelationPlan,
  type ReadPlan,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  relationInputs,
  type SelectPlan,
  type Stage,
  type StagePlace,
} from '../../ir/index.js';
import type { DimensionKey } from '../../storage/index.js';

/** The dimensions whose rows a plan reads. */
export function dimensionsOf(plan: ReadPlan): readonly DimensionKey[] {
  const scans = isRelationPlan(plan) ? [plan.root, ...plan.tables].flatMap(scansOf) : [plan];
  const ids = scans.flatMap(({ dimensionId, joins }) => [
    ...(dimensionId === null ? [] : [dimensionId]),
    ...joins.map((join) => join.dimensionId),
  ]);
  return [...new Set(ids)].map((dimensionId) => ({ databaseId: plan.databaseId, dimensionId }));
}

const scansOf = (relation: Relation): readonly SelectPlan[] =>
  relation.op === 'scan' ? [relation.plan] : relationInputs(relation).flatMap(scansOf);

interface Placed {
  readonly relation: Relation;
  readonly place: StagePlace;
}

export function stagesOf(plan: RelationPlan): readonly Stage[] {
  return new Fragments(plan).stages;
}

class Fragments {
  readonly stages: Stage[] = [];
  readonly #databaseId: number;
  readonly #tables: Relation[] = [];

  constructor({ databaseId, root, tables }: RelationPlan) {
    this.#databaseId = databaseId;
    for (const table of tables) this.#tables.push(this.#answered(table));
    this.#answered(root);
  }

  /** The rows of a relation as those of a stage. */
  #answered(relation: Relation): Relation {
    const before = this.stages.length;
    const { relation: placed, place } = this.#place(relation);
    const isStage = placed.op === 'received' && placed.stage === this.stages.length - 1;
    if (isStage && this.stages.length > before) return placed;
    return this.#push({ runs: 'operators', place, root: placed, columns: columnsOf(placed) });
  }

  #push(stage: Stage): Relation {
    return { op: 'received', stage: this.stages.push(stage) - 1, columns: stage.columns };
  }

  #atOne({ relation, place }: Placed): Relation {
    if (place === 'one') return relation;
    return this.#push({ runs: 'operators', place, root: relation, columns: columnsOf(relation) });
  }

  #place(relation: Relation): Placed {
    switch (relation.op) {
      case 'scan': {
        const { grouping, order, limit, offset, joins } = relation.plan;
        if (
          grouping === null &&
          order.length + offset + joins.length === 0 &&
          limit === null &&
          relation.plan.dimensionId !== null
        )
          return { relation, place: 'shards' };
        return {
          relation: this.#push({ runs: 'select', plan: relation.plan, columns: relation.columns }),
          place: 'one',
        };
      }
      case 'shared': {
        const table = this.#tables[relation.table];
        const from = columnsOf(table);
        const columns = relation.columns.map(({ column, type }, index) => ({
          column,
          of: input({ column: from[relation.from[index]].column, type }),
        }));
        return { relation: { op: 'project', input: table, columns }, place: 'one' };
      }
      case 'received':
      case 'values':
        return { relation, place: 'one' };
      case 'filter':
      case 'project': {
        const { relation: below, place } = this.#place(relation.input);
        return { relation: { ...relation, input: below }, place };
      }
      case 'sort':
      case 'window':
        return { relation: { ...relation, input: this.#atOne(this.#place(relation.input)) }, place: 'one' };
      case 'join': {
        const left = this.#place(relation.left);
        const right = this.#atOne(this.#place(relation.right));
        if (relation.kind !== 'full')
          return { relation: { ...relation, left: left.relation, right }, place: left.place };
        return { relation: { ...relation, left: this.#atOne(left), right }, place: 'one' };
      }
      case 'set': {
        const [left, right] = [this.#place(relation.left), this.#place(relation.right)];
        if (relation.operator === 'union' && left.place === right.place) {
          return {
            relation: { ...relation, left: left.relation, right: right.relation },
            place: left.place,
          };
        }
        return {
          relation: { ...relation, left: this.#atOne(left), right: this.#atOne(right) },
          place: 'one',
        };
      }
      case 'aggregate':
        return { relation: this.#groups(relation), place: 'one' };
    }
  }

  #groups(relation: RelationOf<'aggregate'>): Relation {
    const { relation: below, place } = this.#place(relation.input);
    const columns = [...relation.keys, ...relation.aggregates];
    const plan: SelectPlan = {
      databaseId: this.#databaseId,
      dimensionId: null,
      condition: null,
      filter: null,
      events: null,
      joins: [],
      inputs: [],
      feeds: [],
      grouping: {
        keys: relation.keys.map(input),
        perEntity: false,
        aggregates: relation.aggregates.map(({ function: name, of, distinct, fraction, type }) => ({
          ...{ function: name, of: of && input(of), distinct, feed: 'rows', fraction, type },
        })),
      },
      having: null,
      outputs: columns.map(({ column, type }, index) => ({
        name: String(column),
        type,
        of: { op: 'input', input: index, type },
      })),
      distinct: false,
      order: [],
      offset: 0,
      limit: null,
    };
    return this.#push({ runs: 'groups', place, input: below, plan, columns });
  }
}

const input = ({ column, type }: RelationColumn): Expression => ({ op: 'input', input: column, type });
