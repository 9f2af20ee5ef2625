/** The rows of EXPLAIN as a tree of operators. */
import type { Json, JsonObject } from '../server/json.js';

export interface PlanNode {
  readonly operator: string;
  readonly detail: string;
  /** null = not measured, as for EXPLAIN without ANALYZE. */
  readonly rows: number | null;
  readonly estimatedRows: number | null;
  /** Of an operator that every shard ran: of the slowest one. */
  readonly milliseconds: number | null;
  /** The number of shards that ran it; null = it ran once. */
  readonly shards: number | null;
  readonly children: readonly PlanNode[];
}

const FIELDS = ['operator', 'shard', 'estimated-rows', 'rows', 'milliseconds', 'detail'];

/** The tree in rows of a SELECT; null = they are not those of EXPLAIN. */
export function planOf(rows: readonly JsonObject[]): readonly PlanNode[] | null {
  const isPlan = rows.length > 0 && rows.every((row) => FIELDS.every((name) => name in row));
  return isPlan && Object.keys(rows[0]).length === FIELDS.length ? treeOf(joined(rows)) : null;
}

interface Step extends Omit<PlanNode, 'children'> {
  /** Two blanks before an operator for each operator above it. */
  readonly depth: number;
}

const numberOf = (value: Json): number | null => (value === null ? null : Number(value));

function stepOf(row: JsonObject): Step {
  const operator = String(row.operator);
  return {
    ...{ operator: operator.trim(), detail: String(row.detail), rows: numberOf(row.rows) },
    ...{ estimatedRows: numberOf(row['estimated-rows']), milliseconds: numberOf(row.milliseconds) },
    ...{ shards: row.shard === null ? null : 1, depth: (operator.length - operator.trimStart().length) / 2 },
  };
}

/** The rows of the shards that run one operator become one step. */
function joined(rows: readonly JsonObject[]): Step[] {
  const steps: Step[] = [];
  for (const step of rows.map(stepOf)) {
    const last = steps.at(-1);
    if (last === undefined || step.shards === null || last.shards === null || !isSame(last, step)) {
      steps.push(step);
      continue;
    }
    steps[steps.length - 1] = {
      ...{ ...last, shards: last.shards + 1, milliseconds: extreme(last.milliseconds, step.milliseconds) },
      rows: sum(last.rows, step.rows),
      estimatedRows: sum(last.estimatedRows, step.estimatedRows),
      detail: last.detail === step.detail ? last.detail : last.detail.replace(/:.*$/s, ''),
    };
  }
  return steps;
}

const isSame = (one: Step, other: Step): boolean =>
  one.operator === other.operator && one.depth === other.depth;
const sum = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;
const extreme = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** Each step is above those that follow it with more blanks. */
function treeOf(steps: readonly Step[]): readonly PlanNode[] {
  const nodes: PlanNode[] = [];
  for (let at = 0; at < steps.length; ) {
    const { depth, ...own } = steps[at];
    let end = at + 1;
    while (end < steps.length && steps[end].depth > depth) end++;
    nodes.push({ ...own, children: treeOf(steps.slice(at + 1, end)) });
    at = end;
  }
  return nodes;
}
