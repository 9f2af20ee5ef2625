import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { JoinedTable, JoinLookup, NOT_FOUND } from '../../../src/exec/join/join-lookup.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { Texts, type TextVector, vectorOf } from '../../../src/vector/index.js';
import { collidingTexts } from '../../support/ingest/colliding.js';
import { joinTable, TEXT } from '../scan/select-rows.js';

const SEED = 14_142;
t.comment(`seed ${SEED}`);

const tableOf = (ids: readonly string[], run: QueryRun): JoinedTable =>
  new JoinedTable(joinTable({ types: [], rows: new Map(ids.map((id) => [id, []])) }), run.child());

t.test('each text finds the row of its ID, with and without a cached dictionary', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 30; round++) {
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const ids = Array.from(
      { length: prng.pick([0, 1, 20, 2_000]) },
      (_, at) => `id-${at * 2}${prng.pick(['', 'ß'])}`,
    );
    const lookup = new JoinLookup(tableOf(ids, run), run);
    const dictionaries = [50, 3_000].map((size) =>
      Texts.ofStrings(
        ['', ...Array.from({ length: size }, (_, at) => `id-${at}${prng.pick(['', 'ß'])}`)],
        true,
      ),
    );
    for (let batch = 0; batch < 20; batch++) {
      const texts = prng.pick(dictionaries);
      const count = prng.between(1, 400);
      const codes = prng.chance(0.7)
        ? Uint32Array.from({ length: count }, () => prng.below(texts.size))
        : null;
      const valid = prng.chance(0.5) ? Uint8Array.from({ length: count }, () => prng.below(2)) : null;
      const vector: TextVector =
        codes === null
          ? (vectorOf(
              TEXT,
              Array.from({ length: count }, () => `id-${prng.below(99)}`),
            ) as TextVector)
          : { kind: 'text', count, valid, codes, texts };
      const wanted = Array.from({ length: count }, (_, row) => {
        if (vector.valid !== null && vector.valid[row] === 0) return NOT_FOUND;
        return ids.indexOf(vector.texts.text(vector.codes === null ? row : vector.codes[row]));
      });
      t.strictSame([...lookup.find(vector)], wanted);
    }
    lookup.release();
  }
});

t.test('IDs with the same hash are distinguished', async (t) => {
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  const words = collidingTexts(40);
  // Lookup compares bytes, so texts need not be valid UTF-8.
  const bytes = new Uint8Array(words.buffer);
  const offsets = Uint32Array.from({ length: 41 }, (_, at) => at * 8);
  const wire = {
    kind: 'text' as const,
    count: 30,
    valid: null,
    offsets: offsets.slice(0, 31),
    bytes,
    distinct: true,
  };
  const codes = Uint32Array.from({ length: 30 }, (_, at) => 29 - at);
  const table = new JoinedTable({ ids: { ...wire, codes }, columns: [] }, run.child());
  const texts = Texts.ofBytes({ offsets, bytes }, 40, true);
  const found = new JoinLookup(table, run).find({ kind: 'text', count: 40, valid: null, codes: null, texts });
  t.strictSame(
    [...found],
    Array.from({ length: 40 }, (_, at) => (at < 30 ? 29 - at : NOT_FOUND)),
  );
});
