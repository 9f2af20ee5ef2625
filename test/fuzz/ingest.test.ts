import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { createIngestScratch, parseInsert } from '../../src/ingest/index.js';
import { PlainWalk } from '../../src/ingest/plain/walk.js';
import { compileKernels } from '../../src/kernels/index.js';
import { PlainBodyWriter, unlikeInserts } from '../ingest/plain-bodies.js';
import { wasmBytes } from '../kernels/twin-arena.js';
import {
  BodyWriter,
  mixedCaseModel,
  NOW_MS,
  sampleModel,
  someColumnIds,
} from '../support/ingest/ingest-bodies.js';
import { differenceOf } from '../support/ingest/ingest-compare.js';
import { ingestOracle } from '../support/ingest/ingest-oracle.js';

const SEED = 4_711;
const MUTANT_COUNT = 20_000;
const PLAIN_MUTANT_COUNT = 12_000;
const MODULE = compileKernels(wasmBytes());
const LETTERS = Array.from('0123456789abcxyzABC-', (text) => text.charCodeAt(0));
const BYTES = Array.from('{}[]",:\\/.-+eE019ntfu \t\n\0\u007f', (text) => text.charCodeAt(0)).concat([
  0x80, 0xc3, 0xed, 0xa0, 0xf4, 0xff, 0xef,
]);

/** `bytes` with some bytes changed, inserted, removed, copied elsewhere, or cut off. */
function mutate(random: Prng, bytes: Uint8Array): Uint8Array {
  const stored = Array.from(bytes);
  for (let round = random.between(1, 3); round > 0; round--) {
    const at = random.below(stored.length + 1);
    switch (random.below(8)) {
      case 5:
      case 6:
        stored.splice(at, 1, random.pick(LETTERS));
        break;
      case 0:
        stored.splice(at, 1, random.pick(BYTES));
        break;
      case 1:
        stored.splice(at, 0, random.pick(BYTES));
        break;
      case 2:
        stored.splice(at, random.between(1, 4));
        break;
      case 3:
        stored.splice(
          at,
          0,
          ...stored.slice(random.below(stored.length + 1)).slice(0, random.between(1, 30)),
        );
        break;
      case 4:
        stored.splice(at, 1, random.below(256));
        break;
      default:
        if (random.chance(0.2)) stored.length = at;
        else stored.splice(at, 1, (stored[at] ?? 0) ^ (1 << random.below(8)));
    }
  }
  return Uint8Array.from(stored);
}

t.test('bodies with changed bytes never throw and get the oracle’s answer', (t) => {
  const random = new Prng(SEED);
  const models = [sampleModel(), mixedCaseModel()];
  const scratch = createIngestScratch(MODULE);
  let acceptedCount = 0;
  let semanticCount = 0;
  for (let index = 0; index < MUTANT_COUNT; index++) {
    const model = models[(index >> 6) & 1];
    const body = new TextEncoder().encode(new BodyWriter(random, model, random.pick([0, 0, 0.01])).body());
    const bytes = mutate(random, body);
    const columnIds = someColumnIds(random, model);
    const context = { model, nowMs: NOW_MS, customKey: false, columnIds };
    const outcome = parseInsert(bytes, { ...context, shardCount: 2 }, scratch);
    const expected = ingestOracle(bytes, context);
    const got = 'error' in outcome ? outcome.error.code : 'accepted';
    const wanted = 'code' in expected ? expected.code : 'accepted';
    let difference = got === wanted ? null : `got ${got}, wanted ${wanted}`;
    if ('parsed' in outcome && 'result' in expected)
      difference ??= differenceOf(outcome.parsed, expected.result, 2);
    if (difference !== null) {
      t.fail(`seed ${SEED}, mutant ${index}: ${difference}`, {
        text: Buffer.from(bytes).toString('latin1'),
        outcome,
      });
      t.end();
      return;
    }
    if (got === 'accepted') acceptedCount++;
    else if (got !== 1503) semanticCount++;
  }
  t.ok(acceptedCount > 500, `${acceptedCount} mutants were accepted`);
  t.ok(semanticCount > 500, `${semanticCount} mutants were refused for their content`);
  t.end();
});

t.test('plain bodies with changed bytes are read by the plain walk as by the general one', (t) => {
  const random = new Prng(SEED + 1);
  const models = [sampleModel(), mixedCaseModel()];
  const scratch = createIngestScratch(null);
  const plain = new PlainWalk(MODULE);
  let takenCount = 0;
  for (let index = 0; index < PLAIN_MUTANT_COUNT; index++) {
    const model = models[(index >> 6) & 1];
    const writer = new PlainBodyWriter(random, model, random.pick([0, 0, 0.01]));
    const body = new TextEncoder().encode(writer.body(random.pick([1, 1, 2])).text);
    const bytes = random.chance(0.5) ? mutate(random, body) : body;
    if (bytes === body) bytes[random.below(bytes.length)] = random.pick(random.chance(0.5) ? LETTERS : BYTES);
    const columnIds = someColumnIds(random, model);
    const read = plain.read(bytes, NOW_MS, scratch.tablesOf(model, 2, columnIds));
    if (read === null) continue;
    const context = { model, shardCount: 2, nowMs: NOW_MS, customKey: false, columnIds };
    const outcome = parseInsert(bytes, context, scratch);
    const unlike =
      'error' in outcome ? `refused with ${outcome.error.code}` : unlikeInserts(read, outcome.parsed);
    if (unlike !== null) {
      t.fail(`seed ${SEED + 1}, mutant ${index}: ${unlike}`, { text: Buffer.from(bytes).toString('latin1') });
      t.end();
      return;
    }
    takenCount++;
  }
  t.ok(takenCount > 800, `${takenCount} mutants were read`);
  t.end();
});
