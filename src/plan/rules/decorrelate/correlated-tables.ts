/** Tables of a plan that read columns from outside, as the rows of grouping sets in a correlated subquery do. */
import {
  columnsOf,
  outerColumns,
  type Relation,
  type RelationOf,
  type RelationPlan,
  readColumn,
} from '../../../ir/index.js';
import { ColumnNumbers, copied, rewritten } from '../../relations/tree.js';

/** Copies such a table to each place that reads it, where the columns that it reads can be removed. */
export function withoutCorrelatedTables(plan: RelationPlan): RelationPlan {
  if (!plan.tables.some((table) => outerColumns(table).size > 0)) return plan;
  const numbers = new ColumnNumbers(plan);
  const tables: Relation[] = [];
  /** The tables that are copied; null = the table remains. */
  const copies: (Relation | null)[] = [];
  const inlined = (root: Relation): Relation =>
    rewritten(root, (part) => {
      const table = part.op === 'shared' ? copies[part.table] : null;
      return part.op === 'shared' && table !== null ? copyAt(part, table, numbers) : part;
    });
  for (const before of plan.tables) {
    const table = inlined(before);
    const isCorrelated = outerColumns(table).size > 0;
    copies.push(isCorrelated ? table : null);
    tables.push(isCorrelated ? withoutRows(table) : table);
  }
  return { ...plan, tables, root: inlined(plan.root) };
}

function copyAt({ columns, from }: RelationOf<'shared'>, table: Relation, numbers: ColumnNumbers): Relation {
  const input = copied(table, numbers, new Map());
  const own = columnsOf(input);
  return {
    op: 'project',
    input,
    columns: columns.map(({ column }, index) => ({ column, of: readColumn(own[from[index]]) })),
  };
}

/** Takes the place of a table that nothing reads any more, so that the numbers of the others remain. */
const withoutRows = (table: Relation): Relation => ({
  op: 'values',
  columns: columnsOf(table).map(({ column, type }) => ({ column, type })),
  rows: [],
});
