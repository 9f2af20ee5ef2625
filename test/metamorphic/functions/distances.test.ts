/** Comparisons of distances in WHERE, which become conditions of kernels, select the rows for which their expressions are true. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';

const SEED = Date.now() % 1_000_000;
const PLACES = 300;
const ROUNDS = 40;

async function load(server: ConformanceServer, random: Prng): Promise<void> {
  const dimension = 'places';
  const column = (name: string, type: string) => ({
    ...{ name, 'api-name': name, type, storage: 'latest-value', dimension },
  });
  const entities = Array.from({ length: PLACES }, (_entity, index) => {
    const spot = [random.below(400) / 10 - 20, random.below(300) / 10 - 15];
    return [`p${index}`, random.chance(0.1) ? { dimension, n: 1 } : { dimension, spot }];
  });
  for (const [path, body] of [
    ['/v1/column', [column('spot', 'geolocation'), column('n', 'integer')]],
    ['/v1/insert', Object.fromEntries(entities)],
  ] as const) {
    const { status, text } = await server.post(path, JSON.stringify(body));
    if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
  }
}

for (const simd of [true, false]) {
  t.test(`distances ${simd ? 'by WebAssembly' : 'by TypeScript'}`, async (t) => {
    t.comment(`seed ${SEED}`);
    const random = new Prng(SEED);
    const server = await ConformanceServer.start(simd, { shards: 3 });
    t.teardown(() => server.stop());
    await load(server, random);
    const rows = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      const { status, text } = await server.sql(sql);
      if (status !== 200) throw new Error(`${sql}: ${text.slice(0, 400)}`);
      return (JSON.parse(text) as { readonly result: readonly Readonly<Record<string, unknown>>[] }).result;
    };
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const center = `GEO_POINT(${random.below(40) - 20}, ${random.below(30) - 15}.5)`;
      const distance = `GEO_DISTANCE(spot, ${center})`;
      const some = await rows(`SELECT ${distance} AS metres FROM places WHERE n IS NULL LIMIT 20`);
      // Exactly the distance of a place, or any.
      const metres = random.chance(0.5) ? String(random.pick(some).metres) : String(random.below(3_000_000));
      const conditions = [
        `${distance} ${random.pick(['<', '<=', '>', '>='])} ${metres}`,
        `${metres} ${random.pick(['<', '<=', '>', '>='])} ${distance}`,
        `GEO_WITHIN_RADIUS(spot, ${center}, ${metres})`,
      ];
      for (const condition of conditions.flatMap((one) => [one, `NOT (${one})`])) {
        const ids = 'SELECT [entity-id] FROM places WHERE';
        const selected = await rows(`${ids} ${condition} ORDER BY [entity-id]`);
        const expected = await rows(`${ids} CASE WHEN ${condition} THEN TRUE END ORDER BY [entity-id]`);
        found += selected.length;
        if (JSON.stringify(selected) !== JSON.stringify(expected)) {
          t.strictSame(selected, expected, condition);
          return;
        }
      }
    }
    const plan = await rows('EXPLAIN SELECT n FROM places WHERE GEO_DISTANCE(spot, GEO_POINT(1, 2)) < 500');
    t.match(JSON.stringify(plan), /by geoRadius/);
    t.ok(found > ROUNDS, `${found} rows`);
  });
}
