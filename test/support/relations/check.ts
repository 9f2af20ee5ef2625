/** Checks what every tree of relations must satisfy: columns exist where they are read, once, with their types. */
import {
  childrenOf,
  columnsOf,
  type Expression,
  type Relation,
  type RelationColumn,
  relationInputs,
} from '../../../src/ir/index.js';

type Types = ReadonlyMap<number, string>;

const typesOf = (columns: readonly RelationColumn[]): Types =>
  new Map(columns.map(({ column, type }) => [column, JSON.stringify(type)]));

/** Throws an error for a breach. `outer`: columns that the relation may read of relations outside. */
export function checkRelation(relation: Relation, outer: Types = new Map()): void {
  const columns = columnsOf(relation);
  const numbers = columns.map(({ column }) => column);
  if (new Set(numbers).size !== numbers.length) throw new Error(`${relation.op} has a column twice`);
  const inputs = relationInputs(relation);
  const visible = new Map([...outer, ...inputs.flatMap((input) => [...typesOf(columnsOf(input))])]);
  const read = ({ column, type }: RelationColumn): void => {
    if (!visible.has(column)) throw new Error(`${relation.op} reads column ${column}, which does not exist`);
    if (visible.get(column) !== JSON.stringify(type)) throw new Error(`column ${column} has another type`);
  };
  const evaluate = (expression: Expression | null): void => {
    if (expression === null) return;
    if (expression.op === 'input') read({ column: expression.input, type: expression.type });
    for (const child of childrenOf(expression)) evaluate(child);
  };
  switch (relation.op) {
    case 'scan':
      if (relation.columns.length !== relation.plan.outputs.length) throw new Error('outputs are columns');
      break;
    case 'filter':
      evaluate(relation.condition);
      break;
    case 'series':
      for (const of of [relation.first, relation.last, relation.step]) evaluate(of);
      break;
    case 'project':
      for (const { of } of relation.columns) evaluate(of);
      break;
    case 'join': {
      checkRelation(relation.left, outer);
      const left = typesOf(columnsOf(relation.left));
      const right = typesOf(columnsOf(relation.right));
      checkRelation(relation.right, new Map([...outer, ...left]));
      for (const key of relation.keys) {
        if (!left.has(key.left)) throw new Error(`key ${key.left} is not a column of the left side`);
        if (left.get(key.left) !== right.get(key.right)) throw new Error('keys have one type');
      }
      evaluate(relation.condition);
      return;
    }
    case 'aggregate':
      relation.keys.forEach(read);
      for (const { of } of relation.aggregates) if (of !== null) read(of);
      break;
    case 'window':
      [...relation.partition, ...relation.order, ...relation.functions.flatMap(({ args }) => args)].forEach(
        read,
      );
      break;
    case 'sort':
      relation.keys.forEach(read);
      break;
    case 'recursive':
    case 'set':
      for (const { type, left, right } of relation.columns) {
        read({ column: left, type });
        read({ column: right, type });
      }
  }
  for (const input of inputs) checkRelation(input, outer);
}
