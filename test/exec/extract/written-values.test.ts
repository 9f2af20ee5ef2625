/**
 * Texts of stored values at the limits of their storage: widths of integers and codes, and the exact range of doubles.
 */
import t from 'tap';
import type { ExtractPlan } from '../../../src/ir/index.js';
import type { Field, Stored } from '../../storage/stored.js';
import { LATEST, PLAIN } from './extract-plans.js';
import { Extraction, FORMS, idOf } from './extraction.js';

const EDGES = [7, 8, 15, 16, 31, 32, 52, 53, 54, 63].flatMap((bits) =>
  [-2n, -1n, 0n, 1n].flatMap((more) => [2n ** BigInt(bits) + more, -(2n ** BigInt(bits)) + more]),
);
const INT64 = EDGES.filter((value) => BigInt.asIntN(64, value) === value);

const columnOf = (kind: string) => {
  const column = LATEST.find((one) => one.kind === kind);
  if (column === undefined) throw new Error(`no column of ${kind}`);
  return column;
};

/** Extracts the column of entities with these values, one value per entity; each round uses a new shard. */
function differences(kind: string, rounds: readonly (readonly Stored[])[]): string[] {
  const column = columnOf(kind);
  const form = FORMS.get(column.id);
  if (form === undefined) throw new Error(`column ${column.id} has no form`);
  const found: string[] = [];
  for (const values of rounds) {
    const extraction = new Extraction(null, 1);
    const entities = values.map((latest, number): { id: string; fields: Field[] } => ({
      id: idOf(number),
      fields: number % 7 === 6 ? [] : [{ column, latest }],
    }));
    extraction.insert(entities);
    const plan: ExtractPlan = {
      ...PLAIN,
      limit: values.length,
      columns: [{ ...form, from: 'attribute', columnId: column.id }],
    };
    const [value, wanted] = [extraction.rows(plan), extraction.wanted(plan)];
    if (value.length !== values.length) found.push(`${value.length} rows of ${values.length}`);
    value.forEach(({ values: actual }, at) => {
      if (actual[0] !== wanted[at].values[0]) found.push(`${actual[0]} instead of ${wanted[at].values[0]}`);
    });
  }
  return found;
}

t.test('integers of every width are written with all their digits', async (t) => {
  // Few values at a time, because the width of a segment is the width of its widest value.
  const rounds = INT64.map((value) => [0n, value, -1n, value > 0n ? value - 1n : value + 1n, 1n]);
  t.strictSame(differences('i64', [...rounds, INT64]), []);
});

t.test('strings are written for every code width', async (t) => {
  const texts = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${number % 3 === 0 ? 'ß' : 't'}${number}`);
  t.strictSame(differences('code', [texts(1), texts(130), texts(300), texts(66_000)]), []);
});

t.test('points are written as stored', async (t) => {
  const points: Stored[] = [
    [0, 0],
    [-180, 90],
    [13.4, -52.5],
    [1e-7, 5e-324],
  ];
  t.strictSame(differences('geo', [points]), []);
});
