import t from 'tap';
import { bindCountEntity, FULL_ACCESS, type Json, parseJson } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import { countMatches, type StoredData, store } from '../ir/evaluate.js';
import { generateCountBody, generateInsert, generateSchema, jsonText } from '../support/generate.js';
import { RowModel } from '../support/model.js';
import { modelWith } from './databases.js';

const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** The body as it comes back from its own text. */
function overTheWire(body: Json): Json {
  return parseJson(new TextEncoder().encode(jsonText(body)));
}

for (const seed of SEEDS) {
  t.test(
    `bound conditions answer generated queries as the row-at-a-time model does, seed ${seed}`,
    async (t) => {
      const prng = new Prng(seed);
      const schema = generateSchema(prng);
      const model = modelWith(schema.body);
      const rows = new RowModel();
      rows.createColumns(schema.body);
      rows.createDimension('second');
      const data: StoredData = new Map();
      for (let round = 0; round < 6; round++) {
        const body = overTheWire(generateInsert(prng, schema, { entityCount: 30, idCount: 60 }));
        rows.insert(body, NOW_MS);
        store(data, body, model, NOW_MS);
      }
      let matched = 0;
      for (let round = 0; round < 120; round++) {
        const options = { depthMax: 4, idCount: 60, withNow: true };
        const body = overTheWire(generateCountBody(prng, schema, options));
        const counts = rows.count(body, NOW_MS);
        for (const { name, dimensionId, condition } of bindCountEntity(body, model, NOW_MS, FULL_ACCESS)) {
          const found = countMatches(data, dimensionId, condition);
          if (found !== counts.get(name)) t.equal(found, counts.get(name), `${name} of ${jsonText(body)}`);
          if (found > 0) matched++;
        }
      }
      t.ok(matched > 100, `${matched} queries matched something`);
    },
  );
}
