/** The rows of EXPLAIN for a query of stages: the tree of each stage, and with ANALYZE what each operator returned. */
import { type Relation, relationInputs, type SelectPlan, type Stage } from '../../ir/index.js';
import type { Table } from '../../plan/index.js';
import type { OperatorStats } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { counted, type ExplainRow, mainRows, Names, tableOf } from './explain.js';

/** Measurements of a run. */
export interface RelationAnalysis {
  /** By stage. */
  readonly stats: readonly (readonly OperatorStats[])[];
  /** Rows of the answer. */
  readonly rows: number;
  readonly milliseconds: number;
}

export function explainRelationTable(
  stages: readonly Stage[],
  analysis: RelationAnalysis | null,
  model: DatabaseModel | undefined,
): Table {
  const rows = stages.flatMap((stage, index) => stageRows(stage, index, analysis?.stats[index] ?? [], model));
  if (analysis !== null) {
    const { milliseconds } = analysis;
    rows.push({ ...rowOf('answer', ''), rows: analysis.rows, milliseconds });
  }
  return tableOf(rows);
}

/** One line per operator, for the log. */
export const relationLines = (
  stages: readonly Stage[],
  model: DatabaseModel | undefined,
): readonly string[] =>
  stages
    .flatMap((stage, index) => stageRows(stage, index, [], model))
    .map(({ operator, detail }) => (detail === '' ? operator : `${operator} ${detail}`));

const rowOf = (operator: string, detail: string): ExplainRow => ({
  operator,
  shard: null,
  estimatedRows: null,
  rows: null,
  milliseconds: null,
  detail,
});

function stageRows(
  stage: Stage,
  index: number,
  stats: readonly OperatorStats[],
  model: DatabaseModel | undefined,
): ExplainRow[] {
  const place = stage.runs === 'select' || stage.place === 'shards' ? 'every worker' : 'one worker';
  const head = rowOf(`stage ${index}`, `on ${place}`);
  if (stage.runs === 'select') return [head, ...selectRows(stage.plan, 1, model)];
  const grouped = stage.runs === 'groups' ? indented(groupRows(stage.plan), 1) : [];
  const root = stage.runs === 'groups' ? stage.input : stage.root;
  return [head, ...grouped, ...new TreeRows(stats, model).of(root, grouped.length + 1)];
}

const INDENT = '  ';

/** The operators over the rows of a stage with groups, the last one first. */
const groupRows = (plan: SelectPlan): ExplainRow[] =>
  mainRows(plan)
    .filter(({ operator }) => operator !== 'constant')
    .reverse();

const indented = (rows: readonly ExplainRow[], depth: number): ExplainRow[] =>
  rows.map((row, index) => ({ ...row, operator: `${INDENT.repeat(depth + index)}${row.operator}` }));

/** The operators of a SELECT, the last one first. */
function selectRows(plan: SelectPlan, depth: number, model: DatabaseModel | undefined): ExplainRow[] {
  const names = new Names(model, plan);
  const joins = plan.joins.map(({ dimensionId, kind }) =>
    rowOf('join', `${kind}, ${names.dimension(dimensionId)}`),
  );
  const scan = names.own === '' ? [] : [rowOf('scan', names.own)];
  return indented([...mainRows(plan).reverse(), ...joins.reverse(), ...scan], depth);
}

/** The rows of a tree: each operator before its inputs. */
class TreeRows {
  readonly #stats: readonly OperatorStats[];
  readonly #model: DatabaseModel | undefined;
  /** Operators are numbered after their inputs. */
  #nextNode = 0;

  constructor(stats: readonly OperatorStats[], model: DatabaseModel | undefined) {
    this.#stats = stats;
    this.#model = model;
  }

  of(relation: Relation, depth: number): ExplainRow[] {
    const inputs = relationInputs(relation).flatMap((input) => this.of(input, depth + 1));
    const node = this.#nextNode++;
    const own = this.#stats.filter((one) => one.node === node);
    const measured =
      own.length === 0
        ? {}
        : {
            rows: own.reduce((sum, { rows }) => sum + rows, 0),
            milliseconds: own.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
          };
    if (relation.op === 'scan') {
      const [first, ...rest] = selectRows(relation.plan, depth, this.#model);
      return [{ ...first, ...measured }, ...rest];
    }
    const operator = `${INDENT.repeat(depth)}${relation.op}`;
    return [{ ...rowOf(operator, detailOf(relation)), ...measured }, ...inputs];
  }
}

function detailOf(relation: Relation): string {
  switch (relation.op) {
    case 'received':
      return `stage ${relation.stage}`;
    case 'values':
      return counted(relation.rows.length, 'row');
    case 'join':
      return `${relation.kind}, by ${counted(relation.keys.length, 'key')}`;
    case 'set':
      return relation.all ? `${relation.operator} all` : relation.operator;
    case 'sort':
      return `by ${counted(relation.keys.length, 'key')}, ${relation.limit ?? 'all'} rows after ${relation.offset}`;
    case 'window':
      return counted(relation.functions.length, 'function');
    case 'project':
      return counted(relation.columns.length, 'column');
    default:
      return '';
  }
}
