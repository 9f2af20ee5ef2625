/** Answers questions about behaviour: a round on all workers, and one before it if the values of groups are chosen first. */
import {
  type BehaviourAnswer,
  type BehaviourGroups,
  type BehaviourPlan,
  isRanked,
  type TableQuestion,
} from '../../ir/index.js';
import { chooseValues, mergeBehaviour, type Table } from '../../plan/index.js';
import { type Field, vectorOf } from '../../vector/index.js';
import type { RunningQuery } from './running-query.js';

/** The caller ensures that both rounds read one version. */
export async function answerBehaviour(plan: BehaviourPlan, query: RunningQuery): Promise<BehaviourAnswer> {
  const chosen = await groupsOf(plan, query);
  query.noteRead();
  const partials = await query.sendAll((worker, bounds) =>
    worker.send('behaviour', { plan, chosen, bounds }),
  );
  const merged = await query.inSlices(mergeBehaviour(plan, partials));
  return { ...merged, groups: chosen?.values ?? [] };
}

/** The values of groups or nodes; null = the question has none. */
async function groupsOf(plan: BehaviourPlan, query: RunningQuery): Promise<BehaviourGroups | null> {
  if (!isRanked(plan)) return null;
  const rankings = await query.sendAll((worker, bounds) => worker.send('behaviour-values', { plan, bounds }));
  return query.inSlices(chooseValues(plan, rankings));
}

/** The number of rounds of the question. */
export const roundsOf = ({ plan }: TableQuestion): number => (isRanked(plan) ? 2 : 1);

/** The answer as rows. */
export async function answerTable(
  question: TableQuestion,
  types: readonly Field['type'][],
  query: RunningQuery,
): Promise<Table> {
  const rows = question.rowsOf(await answerBehaviour(question.plan, query));
  const columns = types.map((type, index) =>
    vectorOf(
      type,
      rows.map((row) => row[index]),
    ),
  );
  return {
    fields: types.map((type, index) => ({ name: `c${index}`, type })),
    columns,
    rowCount: rows.length,
  };
}
