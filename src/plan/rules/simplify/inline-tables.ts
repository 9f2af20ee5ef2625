/** Replaces tables that are read once by their relations, so that other rules apply across them. */
import { columnsOf, type Relation, type RelationPlan, readColumn } from '../../../ir/index.js';
import { ColumnNumbers, copied, relationsIn, rewritten } from '../../relations/tree.js';

export function withInlineTables(plan: RelationPlan): RelationPlan {
  const uses = plan.tables.map(() => 0);
  for (const tree of [...plan.tables, plan.root]) {
    for (const part of relationsIn(tree)) if (part.op === 'shared') uses[part.table]++;
  }
  if (!uses.includes(1)) return plan;
  const numbers = new ColumnNumbers(plan);
  /** By table: its relation with tables inlined. */
  const tables: Relation[] = [];
  const retained: number[] = [];
  const inline = (tree: Relation): Relation =>
    rewritten(tree, (part) => {
      if (part.op !== 'shared') return part;
      if (uses[part.table] !== 1) return { ...part, table: retained.indexOf(part.table) };
      const input = copied(tables[part.table], numbers, new Map());
      const columns = columnsOf(input);
      const definitions = part.columns.map(({ column }, index) => {
        return { column, of: readColumn(columns[part.from[index]]) };
      });
      return { op: 'project', input, columns: definitions };
    });
  plan.tables.forEach((table, index) => {
    tables.push(inline(table));
    if (uses[index] > 1) retained.push(index);
  });
  return { ...plan, root: inline(plan.root), tables: retained.map((index) => tables[index]) };
}
