/** Keys of GROUP BY in later clauses, in flat plans and in trees of relations, which must find the same ones. */
import t from 'tap';
import {
  childrenOf,
  columnsOf,
  type Expression,
  isRelationPlan,
  type Relation,
} from '../../../../src/ir/index.js';
import { bindRead, readScript } from '../../../../src/sql/index.js';
import { planOf, refusalOf, requestWith } from '../statements.js';

/** An expression with its inputs numbered in the order in which it reads them. */
function shapeOf(expression: Expression): string {
  const inputs: number[] = [];
  const shape = (part: Expression): string => {
    if (part.op === 'constant') return String(part.value);
    if (part.op === 'input') {
      if (!inputs.includes(part.input)) inputs.push(part.input);
      return `#${inputs.indexOf(part.input)}`;
    }
    const name = part.op === 'call' ? part.name : part.op === 'compare' ? part.comparison : part.op;
    return `${name}(${childrenOf(part).map(shape).join(', ')})`;
  };
  return shape(expression);
}

/** The condition of the filter over the groups. */
function havingOf(relation: Relation): Expression | null {
  if (relation.op === 'filter') return relation.condition;
  return 'input' in relation ? havingOf(relation.input) : null;
}

/** The first item and HAVING of a query of general form. */
function treeShapes(sql: string): readonly (string | null)[] {
  const script = readScript(sql);
  if (script.kind !== 'reads') throw new Error('no SELECT');
  const plan = bindRead(script.statements[0], requestWith());
  if (!isRelationPlan(plan)) throw new Error(`${sql} is flat`);
  const having = havingOf(plan.root);
  return [shapeOf(firstColumn(plan.root)), having === null ? null : shapeOf(having)];
}

/** The definition of the first column of projections over groups. */
function firstColumn(relation: Relation): Expression {
  const [{ column, type }] = columnsOf(relation);
  return definitionOf(relation, { op: 'input', type, input: column });
}

function definitionOf(relation: Relation, expression: Expression): Expression {
  if (relation.op !== 'project' || expression.op !== 'input') return expression;
  const found = relation.columns.find(({ column }) => column === expression.input);
  return found === undefined ? expression : definitionOf(relation.input, found.of);
}

function flatShapes(sql: string): readonly (string | null)[] {
  const { outputs, having } = planOf(sql);
  return [shapeOf(outputs[0].of), having === null ? null : shapeOf(having)];
}

const A = 'age > 1';
const B = 'active';
const C = "city = 'x'";

/** What a statement selects, its keys and HAVING; the shapes of the item and of HAVING over the groups. */
const FOUND: readonly (readonly [item: string, rest: string, shapes: readonly (string | null)[]])[] = [
  [`(${A} AND ${B}) AND ${C}`, `GROUP BY ${A} AND ${B}, ${C}`, ['and(#0, #1)', null]],
  [`${C} AND (${A} AND ${B})`, `GROUP BY ${A} AND ${B}, ${C}`, ['and(#0, #1)', null]],
  [`${A} AND ${B} AND ${C}`, `GROUP BY ${A} AND ${B}, ${C}`, ['and(#0, #1)', null]],
  [`${A} AND ${B} AND ${C}`, `GROUP BY ${B} AND ${C}, ${A}`, ['and(#0, #1)', null]],
  [`(${A} OR ${B}) OR ${C} OR (${A} OR ${B})`, `GROUP BY ${A} OR ${B}, ${C}`, ['or(#0, #1, #0)', null]],
  [`${A} AND ${B} AND ${C}`, `GROUP BY ${A} AND ${B}, ${A} AND ${B} AND ${C}`, ['#0', null]],
  [`NOT (${A} AND ${B} AND ${C})`, `GROUP BY ${A} AND ${B}, ${C}`, ['not(and(#0, #1))', null]],
  ['COUNT(*)', `GROUP BY ${A} AND ${B} HAVING ${A} AND ${B}`, ['#0', '#0']],
  ['COUNT(*)', `GROUP BY ${A} AND ${B} HAVING ${A} AND ${B} AND COUNT(*) > 1`, ['#0', 'and(#0, >(#1, 1))']],
  ['COUNT(*)', `GROUP BY ${A} OR ${B} HAVING ${A} OR ${B}`, ['#0', '#0']],
  ["name || city || '!'", 'GROUP BY name || city', ['concat-strict(#0, !)', null]],
  ['name || city || (name || city)', 'GROUP BY name || city', ['concat-strict(#0, #0)', null]],
];

const REFUSED: readonly (readonly [item: string, rest: string, column: string])[] = [
  [`${A} AND ${C} AND ${B}`, `GROUP BY ${A} AND ${B}, ${C}`, 'age'],
  [`${A} AND ${B} AND ${C}`, `GROUP BY ${A} AND ${B}`, 'city'],
  [`${A} AND ${B}`, `GROUP BY ${A} OR ${B}`, 'age'],
  ['COUNT(*)', `GROUP BY ${A} AND ${B} HAVING ${A}`, 'age'],
  ['city || name || city', 'GROUP BY name || city', 'city'],
];

const flat = (item: string, rest: string): string => `SELECT ${item} FROM users ${rest}`;
const general = (item: string, rest: string): string =>
  `SELECT ${item} FROM (SELECT * FROM users) AS u ${rest}`;

t.test('neighbours of a list that are a key together become that key', async (t) => {
  for (const [item, rest, shapes] of FOUND) {
    t.strictSame(flatShapes(flat(item, rest)), shapes, `${item} ${rest}`);
    t.strictSame(treeShapes(general(item, rest)), shapes, `${item} ${rest}, in a tree`);
  }
});

t.test('other members of a list are refused', async (t) => {
  for (const [item, rest, column] of REFUSED) {
    const refusal = { code: 6000, message: new RegExp(`"${column}" must be in GROUP BY or in an aggregate`) };
    t.match(
      refusalOf(() => planOf(flat(item, rest))),
      refusal,
      `${item} ${rest}`,
    );
    t.match(
      refusalOf(() => treeShapes(general(item, rest))),
      refusal,
      `${item} ${rest}, in a tree`,
    );
  }
});
