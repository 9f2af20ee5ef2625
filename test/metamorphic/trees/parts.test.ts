/**
 * Laws of generated SELECTs of general form: the rows for which a condition is true, false and unknown are together all
 * rows, also when they are distinct, grouped or aggregated; and a subquery can be replaced by its value. No other engine is
 * asked. A longer run: node dist/test/metamorphic/trees/parts.test.js --rounds 10000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LAW_LAYOUTS, TreeLife } from './tree-life.js';
import { type TreeParts, TreeStatements } from './tree-statements.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [ROUNDS, SEED] = [Number(options.rounds), Number(options.seed)];
t.comment(`seed ${SEED}, ${ROUNDS} rounds`);
t.setTimeout(120_000 + ROUNDS * 2_000);

const ROWS_MAX = 20;

const wheres = ({ condition }: TreeParts): string[] => [
  ` WHERE ${condition}`,
  ` WHERE NOT (${condition})`,
  ` WHERE CASE WHEN ${condition} THEN false WHEN NOT (${condition}) THEN false ELSE true END`,
];

/** The rows of the three parts of a SELECT. */
async function partRows(life: TreeLife, select: string, parts: TreeParts, end = ''): Promise<string[][]> {
  const rows: string[][] = [];
  for (const where of wheres(parts)) rows.push([...(await life.rows(`${select}${where}${end}`))]);
  return rows;
}

const total = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);

/** COUNT, SUM, MIN and MAX of all rows from those of their parts. */
function recombine(parts: readonly (readonly (number | null)[])[]): (number | null)[] {
  const known = (at: number): number[] => parts.flatMap((part) => part[at] ?? []);
  const [least, greatest] = [known(2), known(3)];
  return [
    total(parts.map(([count]) => count)),
    total(parts.map((part) => part[1])),
    least.length === 0 ? null : Math.min(...least),
    greatest.length === 0 ? null : Math.max(...greatest),
  ];
}

for (const [index, layout] of LAW_LAYOUTS.entries()) {
  t.test(`on ${layout.shards} shards the parts of all rows add up to them`, async (t) => {
    const prng = new Prng(SEED * 10 + index);
    const life = await TreeLife.start(t, layout);
    await life.load(prng, ROWS_MAX);
    const statements = new TreeStatements(prng);
    for (let round = 0; round < ROUNDS; round++) {
      const parts = statements.parts();
      const { from, columns, integer, condition, subquery } = parts;
      const said = `${from} WHERE ${condition}`;
      const list = columns.map((column, at) => `${column} AS c${at}`).join(', ');

      const plain = `SELECT ${list} FROM ${from}`;
      const found = (await partRows(life, plain, parts)).flat().sort();
      t.strictSame(found, await life.rows(plain), `rows of ${said}`);

      const distinct = `SELECT DISTINCT ${list} FROM ${from}`;
      const union = [...new Set((await partRows(life, distinct, parts)).flat())].sort();
      t.strictSame(union, await life.rows(distinct), `distinct rows of ${said}`);

      const keys = ` GROUP BY ${columns.join(', ')}`;
      const groups = [...new Set((await partRows(life, plain, parts, keys)).flat())].sort();
      t.strictSame(groups, await life.rows(`${plain}${keys}`), `groups of ${said}`);

      const measures = `SELECT COUNT(*) AS a, SUM(${integer}) AS b, MIN(${integer}) AS c, MAX(${integer}) AS d FROM ${from}`;
      const measured = (await partRows(life, measures, parts)).map(([row]) => JSON.parse(row));
      const [whole] = await life.rows(measures);
      t.strictSame(recombine(measured), JSON.parse(whole), `aggregates of ${said}`);

      const [[value]] = (await life.rows(`SELECT ${subquery} AS a`)).map((row) => JSON.parse(row));
      const compared = `${plain} WHERE ${integer} >= `;
      const constant = value === null ? 'CAST(NULL AS INTEGER)' : String(value);
      t.strictSame(
        await life.rows(`${compared}${subquery}`),
        await life.rows(`${compared}${constant}`),
        `${subquery} is ${value} in ${from}`,
      );
    }
  });
}
