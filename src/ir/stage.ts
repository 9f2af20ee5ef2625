/**
 * A relation plan as stages, in the order in which they can run: each stage is a part of the tree that runs without an
 * exchange, and its rows are the input `received` of later stages. The rows of the last stage are the answer.
 */
import type { TableQuestion } from './behaviour.js';
import { type Relation, type RelationColumn, relationInputs } from './relation.js';
import type { SelectPlan } from './select.js';

/** shards: every worker runs it over its own shards, and its rows are those of all workers. one: a single worker. */
export type StageLocation = 'shards' | 'one';

export type Stage = {
  readonly columns: readonly RelationColumn[];
} /** A SELECT over one dimension that has groups, an order, a limit or joins of its own; output i is columns[i]. */ & (
  | { readonly runs: 'select'; readonly plan: SelectPlan }
  /** The rows of an answer; on the main thread, over the answers of all workers. */
  | { readonly runs: 'question'; readonly question: TableQuestion }
  /** Scans in `root` are without grouping, order, limit, offset and joins; at location `one` there are none. */
  | { readonly runs: 'operators'; readonly location: StageLocation; readonly root: Relation }
  /**
   * Groups the rows of `input`. Keys and aggregates of plan.grouping read columns of `input`; having, outputs and order
   * of the plan read the groups as in every SelectPlan, and output i is columns[i].
   */
  | {
      readonly runs: 'groups';
      readonly location: StageLocation;
      readonly input: Relation;
      readonly plan: SelectPlan;
    }
);

/** The stages whose rows a stage reads. */
export function stageInputs(stage: Stage): ReadonlySet<number> {
  const inputs = new Set<number>();
  const add = (relation: Relation): void => {
    if (relation.op === 'received') inputs.add(relation.stage);
    relationInputs(relation).forEach(add);
  };
  if (stage.runs === 'groups') add(stage.input);
  if (stage.runs === 'operators') add(stage.root);
  return inputs;
}
