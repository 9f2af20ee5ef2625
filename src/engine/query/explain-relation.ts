/** The rows of EXPLAIN for a query of stages: the tree of each stage, and with ANALYZE the rows that each operator returned. */
import { type Relation, relationInputs, type Stage } from '../../ir/index.js';
import { explainStages, type Table } from '../../plan/index.js';
import type { OperatorStats, SpilledRows } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { type Analysis, type ExplainRow, Names, spilledNotes, tableOf, waitRows } from './explain.js';

/** One line per operator, for the log. */
export const relationLines = (
  stages: readonly Stage[],
  model: DatabaseModel | undefined,
): readonly string[] =>
  explainStages(stages, {
    dimension: (dimensionId) => new Names(model, { dimensionId }).own,
    column: (dimensionId, columnId) => new Names(model, { dimensionId }).column(columnId),
  });

/**
 * The rows of EXPLAIN. With `isRestricted`, the caller may not read all columns and rows, so the output contains nothing of
 * the conditions of scans.
 */
export function explainRelationTable(
  stages: readonly Stage[],
  analysis: Analysis | null,
  model: DatabaseModel | undefined,
  isRestricted = false,
): Table {
  const measured = stages.flatMap((stage, index) => measurementsOf(stage, analysis?.stats[index] ?? []));
  const rows = relationLines(stages, model).map((line, index): ExplainRow => {
    const [, operator, detail] = /^(.*?)(?:: (.*))?$/s.exec(line) as RegExpExecArray;
    const { spilled, ...measurements } = measured[index] ?? NOT_MEASURED;
    const details = [isRestricted ? shortened(operator, detail) : (detail ?? ''), ...spilledNotes(spilled)];
    return { ...rowOf(operator, details.filter((one) => one !== '').join('; ')), ...measurements };
  });
  if (analysis !== null) {
    const { milliseconds } = analysis;
    rows.push(...waitRows(analysis.facts));
    rows.push({ ...rowOf('answer', ''), rows: analysis.rows, milliseconds });
  }
  return tableOf(rows);
}

const rowOf = (operator: string, detail = ''): ExplainRow => ({
  operator,
  shard: null,
  estimatedRows: null,
  rows: null,
  milliseconds: null,
  detail,
});

/** The name of the dimension that a scan or SELECT reads. */
const shortened = (operator: string, detail = ''): string =>
  ['scan', 'select'].includes(operator.trim()) ? detail.split(',')[0] : detail;

type Measurements = Pick<ExplainRow, 'rows' | 'milliseconds'> & {
  /** By the operator itself, on each worker. */
  readonly spilled: readonly SpilledRows[];
};
const NOT_MEASURED: Measurements = { rows: null, milliseconds: null, spilled: [] };

/** The measurements for each line of a stage. */
function measurementsOf(stage: Stage, stats: readonly OperatorStats[]): readonly Measurements[] {
  if (stage.runs === 'select' || stage.runs === 'question') return [NOT_MEASURED, NOT_MEASURED];
  const tree = treeMeasurements(stage.runs === 'groups' ? stage.input : stage.root, stats);
  if (stage.runs !== 'groups') return [NOT_MEASURED, ...tree];
  const ofGroups = stats.flatMap(({ node, spilled }) =>
    node === undefined && spilled != null ? [spilled] : [],
  );
  return [NOT_MEASURED, { ...NOT_MEASURED, spilled: ofGroups }, ...tree];
}

const notMeasured = (relation: Relation): Measurements[] => [
  NOT_MEASURED,
  ...relationInputs(relation).flatMap(notMeasured),
];

/** The measurements of a tree, summed over the workers: each operator before its inputs. */
function treeMeasurements(root: Relation, stats: readonly OperatorStats[]): readonly Measurements[] {
  // Workers number operators after their inputs.
  let nextNode = 0;
  const of = (relation: Relation): Measurements[] => {
    // Each round creates its operators again, and they are not measured.
    const inputs =
      relation.op === 'recursive'
        ? [...of(relation.left), ...notMeasured(relation.right)]
        : relationInputs(relation).flatMap(of);
    const node = nextNode++;
    const own = stats.filter((one) => one.node === node);
    if (own.length === 0) return [NOT_MEASURED, ...inputs];
    const rows = own.reduce((sum, one) => sum + one.rows, 0);
    const milliseconds = own.reduce((sum, one) => sum + one.milliseconds, 0);
    return [{ rows, milliseconds, spilled: own.flatMap(({ spilled }) => spilled ?? []) }, ...inputs];
  };
  return withOwnSpilled(root, of(root));
}

/** Replaces what an operator and its inputs spilled together with what it spilled itself. */
function withOwnSpilled(root: Relation, measured: readonly Measurements[]): readonly Measurements[] {
  const own: Measurements[] = [];
  const visit = (relation: Relation): readonly SpilledRows[] => {
    const index = own.push(NOT_MEASURED) - 1;
    const below = relationInputs(relation).flatMap(visit);
    const together = measured[index].spilled;
    own[index] = { ...measured[index], spilled: [...together, ...below.map(negative)] };
    return together;
  };
  visit(root);
  return own;
}

const negative = ({ bytes, partitionCount, runCount }: SpilledRows): SpilledRows => ({
  ...{ bytes: -bytes, partitionCount: -partitionCount, runCount: -runCount },
});
