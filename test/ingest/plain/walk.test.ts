import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { createIngestScratch, type ParsedInsert, parseInsert } from '../../../src/ingest/index.js';
import { PLAIN_TABLES_BYTES_MAX } from '../../../src/ingest/plain/tables.js';
import { PlainWalk } from '../../../src/ingest/plain/walk.js';
import { CASELESS_FROM } from '../../../src/ingest/values/lower-case.js';
import { compileKernels, INSERT_MEMORY_BYTES } from '../../../src/kernels/index.js';
import { type DatabaseModel, formatDate } from '../../../src/schema/index.js';
import { wasmBytes } from '../../kernels/twin-arena.js';
import { column, dimension, modelOf, NOW_MS, sampleModel } from '../../support/ingest/ingest-bodies.js';
import { PlainBodyWriter, unlikeInserts } from '../plain-bodies.js';
import { FIRST_DAY, LAST_DAY } from '../plain-values.js';

const SEED = 9_203;
const MODULE = compileKernels(wasmBytes());
const MODEL = sampleModel();

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Scripts whose case mappings are not in the table. */
function hasRareCapitals(bytes: Uint8Array): boolean {
  const points = Array.from(new TextDecoder().decode(bytes), (letter) => letter.codePointAt(0) ?? 0);
  return points.some((point) => point > 0xffff && point < CASELESS_FROM);
}

/** Reads bodies of one model as the worker does, and with TypeScript alone. */
class BothWalks {
  readonly plain = new PlainWalk(MODULE);
  readonly #scratch = createIngestScratch(null);
  readonly #model: DatabaseModel;

  constructor(model: DatabaseModel = MODEL) {
    this.#model = model;
  }

  read(body: Uint8Array, shardCount = 2, columnIds: readonly number[] | null = null): ParsedInsert | null {
    return this.plain.read(body, NOW_MS, this.#scratch.tablesOf(this.#model, shardCount, columnIds));
  }

  /** The result of the plain walk, after a comparison with the other walk; null = left to TypeScript. */
  compared(
    text: string | Uint8Array,
    shardCount = 2,
    columnIds: readonly number[] | null = null,
  ): ParsedInsert | null {
    const body = typeof text === 'string' ? bytesOf(text) : text;
    const read = this.read(body, shardCount, columnIds);
    if (read === null) return null;
    const context = { model: this.#model, shardCount, nowMs: NOW_MS, customKey: false, columnIds };
    const outcome = parseInsert(body, context, this.#scratch);
    if ('error' in outcome) throw new Error(`accepted, but refused with ${outcome.error.code}: ${text}`);
    const unlike = unlikeInserts(read, outcome.parsed);
    if (unlike !== null) throw new Error(`${unlike}: ${text}`);
    return read;
  }
}

t.test('plain bodies are read, and give the same batches byte for byte as the other walk', async (t) => {
  const random = new Prng(SEED);
  const both = new BothWalks();
  let readCount = 0;
  for (let index = 0; index < 1_000; index++) {
    const writer = new PlainBodyWriter(random, MODEL, 0);
    const { text, isPlain } = writer.body(random.pick([1, 1, 2, 5, 40]));
    const read = both.compared(text, random.pick([1, 2, 2, 7]));
    if (isPlain && read === null)
      return void t.fail(`seed ${SEED}, body ${index} was left to TypeScript`, { text });
    if (read !== null) readCount++;
  }
  t.ok(readCount > 900, `${readCount} were read`);
});

t.test('unusual bodies are left to TypeScript, or give the same batches', async (t) => {
  const random = new Prng(SEED + 1);
  const both = new BothWalks();
  let takenCount = 0;
  let reparsedCount = 0;
  for (let index = 0; index < 3_000; index++) {
    const { text } = new PlainBodyWriter(random, MODEL, 0.03).body(random.pick([1, 1, 2, 4]));
    if (both.compared(text) === null) reparsedCount++;
    else takenCount++;
  }
  t.ok(takenCount > 300, `${takenCount} read`);
  for (const text of [
    '{"u":{"country":"x","country":null}}',
    '{"u":{"country":null,"country":"x"}}',
    '{"u":{"dimension":"people","visit-page":[],"visit-page":{"value":"x"}}}',
    '{"u":{"dimension":"people","visit-page":{"value":"x"},"visit-price":[]}}',
  ]) {
    t.equal(both.compared(text), null, text);
  }
  t.ok(reparsedCount > 300, `${reparsedCount} given up`);
});

t.test('no truncated body is read, and none reads bytes after its end', async (t) => {
  const random = new Prng(SEED + 2);
  const both = new BothWalks();
  for (let index = 0; index < 20; index++) {
    const text = new PlainBodyWriter(random, MODEL, 0).body(2).text.trim();
    both.read(bytesOf(`${text}   ${text}`));
    const wrong = Array.from({ length: text.length }, (_, end) => end).filter(
      (end) => both.read(bytesOf(text.slice(0, end))) !== null,
    );
    t.strictSame(wrong, []);
    t.equal(both.read(bytesOf(`${text} ${text}`)), null);
  }
});

t.test(
  'limits of the interface are exact: the last body within them is read, the next one is left to TypeScript',
  async (t) => {
    const both = new BothWalks();
    const entities = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"u${index}":{"country":"x"}`).join(',')}}`;
    const id = (length: number): string => `{"${'u'.repeat(length)}":{"country":"${'x'.repeat(length)}"}}`;
    t.equal(both.compared(entities(1_000))?.entityCount, 1_000);
    t.equal(both.compared(entities(1_001)), null);
    t.equal(both.compared(id(1_000))?.entityCount, 1);
    t.equal(both.compared(id(1_001)), null);

    const columns = Array.from({ length: 5_001 }, (_, index) => column(index + 1, `c${index}`, 'integer'));
    const wide = new BothWalks(modelOf([dimension(1, 'default', columns)]));
    const named = (count: number): string =>
      `{"u":{${Array.from({ length: count }, (_, index) => `"c${index}":1`).join(',')}}}`;
    t.equal(wide.compared(named(5_000), 1)?.valueCount, 5_000);
    t.equal(wide.compared(named(5_001), 1), null);
  },
);

t.test('the days of all years are read, and no others', async (t) => {
  const both = new BothWalks();
  const body = (texts: readonly string[]): string =>
    `{"u":{"list-of-date-values":[${texts.map((text) => `"${text}"`).join(',')}],` +
    `"list-of-datetime-values":[${texts.map((text) => `"${text}T23:59:59Z"`).join(',')}]}}`;
  for (let from = LAST_DAY; from > FIRST_DAY; from -= 90_000) {
    const days = Array.from({ length: 30_000 }, (_, index) => Math.max(FIRST_DAY, from - index * 3));
    t.equal(both.compared(body(days.map(formatDate)))?.valueCount, days.length * 2, formatDate(from));
  }
  for (let year = 0; year <= 9999; year++) {
    const text = `${String(year).padStart(4, '0')}-02-29`;
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    if ((both.read(bytesOf(body([text]))) !== null) !== isLeap) t.fail(text);
  }
});

t.test(
  'letters beyond ASCII are read if their UTF-8 is well formed, and left to TypeScript if not',
  async (t) => {
    const random = new Prng(SEED + 5);
    const both = new BothWalks();
    const pieces = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0, 0xe1, 0xec];
    pieces.push(0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0x61);
    let readCount = 0;
    for (let index = 0; index < 8_000; index++) {
      const letters = Uint8Array.from({ length: random.between(1, 4) }, (_, index) => {
        return index === 0 || random.chance(0.2) ? random.pick(pieces) : random.between(0x80, 0xbf);
      });
      const body = Buffer.concat([bytesOf('{"u":{"country":"'), letters, bytesOf('"}}')]);
      const read = both.compared(body);
      if (read !== null) readCount++;
      else if (isWellFormed(letters) && !hasRareCapitals(letters))
        return void t.fail(`${letters} was left to TypeScript`);
    }
    t.ok(readCount > 500, `${readCount} were read`);
  },
);

t.test('degrees are the nearest doubles, and numbers with more digits are left to TypeScript', async (t) => {
  const random = new Prng(SEED + 4);
  const both = new BothWalks();
  const texts = Array.from({ length: 20_000 }, () => {
    const digits = `${random.below(10 ** 9)}${random.below(10 ** 9)}`.slice(0, random.between(1, 13));
    return `${random.chance(0.5) ? '-' : ''}${random.below(90)}.${digits}`;
  });
  const body = (stored: readonly string[]): string =>
    `{"u":{"list-of-geolocation-values":[${stored.map((text) => `[${text},${text}]`).join(',')}]}}`;
  t.equal(both.compared(body(texts))?.valueCount, texts.length);
  for (const more of ['1.234567890123456', '12345678901234567', '0.1234567890123456']) {
    t.equal(both.read(bytesOf(body([more]))), null, more);
  }
});

t.test('a body with an ID twice, in any case, is left to TypeScript', async (t) => {
  const both = new BothWalks();
  t.equal(both.compared('{"u1":{"country":"x"},"u2":{"country":"x"}}')?.entityCount, 2);
  for (const other of ['u1', 'U1'])
    t.equal(both.compared(`{"u1":{"country":"x"},"${other}":{"country":"x"}}`), null);
  t.equal(both.compared('{"u1":{"country":"x"}}')?.entityCount, 1, 'another request may name the ID again');
});

t.test('a body that needs too much memory is left to TypeScript, and the next one is read', async (t) => {
  const both = new BothWalks();
  const list = (count: number): string =>
    `{"u":{"list-of-string-values":[${'"a",'.repeat(count)}"b"]},"v":{"country":"x"}}`;
  t.equal(both.compared(list(100_000))?.valueCount, 100_002);
  t.equal(both.compared(list(1_200_000)), null);
  t.equal(both.compared(list(10))?.valueCount, 12);
  t.equal(both.read(new Uint8Array(20 * 2 ** 20)), null);
});

t.test('columns that the caller may not write are unknown to the walk, whoever wrote before', async (t) => {
  const both = new BothWalks();
  const text = '{"u":{"dimension":"people","country":"x","a-integer":1}}';
  const idOf = (name: string): number => MODEL.dimensions.get('people')?.columns.get(name)?.id ?? 0;
  const [country, integer] = [idOf('country'), idOf('a-integer')];
  for (const [ids, isRead] of [
    [null, true],
    [[country], false],
    [[country, integer], true],
    [[integer], false],
    [null, true],
  ] as const) {
    t.equal(both.compared(text, 2, ids) !== null, isRead, `${ids}`);
  }
});

t.test('models and shard counts can alternate in the same memory', async (t) => {
  const random = new Prng(SEED + 3);
  const one = sampleModel();
  const other = modelOf([dimension(1, 'default', [column(1, 'country', 'integer')])]);
  const scratch = createIngestScratch(null);
  const plain = new PlainWalk(MODULE);
  const bodies = ['{"u":{"country":5},"v":{"country":6}}', '{"u":{"country":"five"}}'];
  for (let index = 0; index < 200; index++) {
    const model = random.pick([one, other]);
    const context = {
      model,
      shardCount: random.pick([1, 2, 3]),
      nowMs: NOW_MS,
      customKey: false,
      columnIds: null,
    };
    const body = bytesOf(random.pick(bodies));
    const read = plain.read(body, NOW_MS, scratch.tablesOf(model, context.shardCount, null));
    const outcome = parseInsert(body, context, scratch);
    if (read === null) t.match(outcome, { error: { code: 2007 } });
    else if ('parsed' in outcome) t.equal(unlikeInserts(read, outcome.parsed), null);
    else t.fail('accepted, but refused');
  }
});

t.test('a model whose tables would be too large is not read', async (t) => {
  const columns = Array.from({ length: 500 }, (_, index) => column(index + 1, `c${index}`, 'integer'));
  const both = new BothWalks(modelOf([dimension(1, 'default', columns)]));
  const shardCount = Math.ceil(PLAIN_TABLES_BYTES_MAX / columns.length / 144);
  t.equal(both.compared('{"u":{"c7":1}}', 2)?.valueCount, 1);
  t.equal(both.compared('{"u":{"c7":1}}', shardCount), null);
});

t.test(
  'if bodies are left to TypeScript repeatedly, the next ones are too, and give the same answers',
  async (t) => {
    const scratch = createIngestScratch(MODULE);
    const context = { model: MODEL, shardCount: 2, nowMs: NOW_MS, customKey: false, columnIds: null };
    const isPlainlyRead = (text: string): boolean => {
      const outcome = parseInsert(bytesOf(text), context, scratch);
      return 'parsed' in outcome && outcome.parsed.buffer.byteLength === INSERT_MEMORY_BYTES;
    };
    const plain = '{"u":{"country":"x"}}';
    t.ok(isPlainlyRead(plain));
    for (let index = 0; index < 40; index++) t.notOk(isPlainlyRead('{"u":{"country":"x","d20":1}}'));
    t.notOk(isPlainlyRead(plain), 'left out');
    let waited = 1;
    while (!isPlainlyRead(plain) && waited < 1_000) waited++;
    t.ok(waited < 256, `read again after ${waited} bodies`);
    t.ok(isPlainlyRead(plain));
  },
);
