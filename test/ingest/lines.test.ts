import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { createIngestScratch, type ParseOutcome, parseInsert, parseLines } from '../../src/ingest/index.js';
import { PlainWalk } from '../../src/ingest/plain/walk.js';
import { compileKernels } from '../../src/kernels/index.js';
import { wasmBytes } from '../kernels/twin-arena.js';
import { column, dimension, modelOf, NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';
import { GeneratedLines } from './generated-lines.js';
import { unlikeInserts } from './plain-bodies.js';

const SEED = 5_519;
const ROUNDS = 2_000;
const MODULE = compileKernels(wasmBytes());
const CONTEXT = { model: sampleModel(), shardCount: 3, nowMs: NOW_MS, customKey: false, columnIds: null };
const NO_HEAD = { head: 0, first: 1 };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * The difference of the outcomes of lines and of a body with the same entities, apart from the position in an error;
 * null if equal.
 */
function unlike(got: ParseOutcome, wanted: ParseOutcome): string | null {
  if ('parsed' in got && 'parsed' in wanted) return unlikeInserts(got.parsed, wanted.parsed);
  if ('error' in got && 'error' in wanted) {
    const bare = got.error.message.replace(/^line \d+: /, '');
    const same = got.error.code === wanted.error.code && bare === wanted.error.message;
    return same ? null : `${JSON.stringify(got.error)}, wanted ${JSON.stringify(wanted.error)}`;
  }
  return `${'error' in got ? JSON.stringify(got.error) : 'accepted'}, wanted ${'error' in wanted ? JSON.stringify(wanted.error) : 'acceptance'}`;
}

t.test('lines give the batches of a body with the same entities, or its error', (t) => {
  const random = new Prng(SEED);
  const counts = { accepted: 0, refused: 0 };
  const [simd, slow, reference] = [MODULE, null, null].map(createIngestScratch);
  for (let round = 0; round < ROUNDS; round++) {
    const made = new GeneratedLines(random);
    // A new model each time: after many faults a model no longer tries SIMD.
    const context = { ...CONTEXT, model: { ...CONTEXT.model }, shardCount: random.between(1, 3) };
    const wanted = parseInsert(bytesOf(made.body), context, reference);
    for (const scratch of [simd, slow]) {
      const got = parseLines(bytesOf(made.text), NO_HEAD, context, scratch);
      const difference = unlike(got, wanted);
      if (difference !== null) {
        t.fail(`seed ${SEED}, round ${round}: ${difference}`, made);
        return t.end();
      }
      const line = 'error' in got ? (got.error.moreInfo as { line: number }).line : 0;
      if (line !== made.faultLine) {
        t.fail(`seed ${SEED}, round ${round}: line ${line}`, { ...made, got });
        return t.end();
      }
    }
    counts['parsed' in wanted ? 'accepted' : 'refused']++;
  }
  t.ok(counts.accepted > ROUNDS / 4 && counts.refused > ROUNDS / 4, JSON.stringify(counts));
  t.end();
});

t.test('plain lines are read by SIMD, also after an auto-create line', (t) => {
  const plain = new PlainWalk(MODULE);
  const scratch = createIngestScratch(MODULE);
  const lines = '{"id":"u1","country":"x"}\n\n{"id":"u2","dimension":"people","a-integer":7}\r\n';
  const tables = scratch.tablesOf(CONTEXT.model, 3, null);
  const body = '{"u1":{"country":"x"},"u2":{"dimension":"people","a-integer":7}}';
  const wanted = plain.read(bytesOf(body), NOW_MS, tables);
  if (wanted === null) throw new Error('the body is not plain');
  // Without `source`, the walk in TypeScript cannot run.
  Object.defineProperty(scratch, 'source', {
    get: () => {
      throw new Error('the TypeScript walk was used');
    },
  });
  for (const [text, numbers] of [
    [lines, NO_HEAD],
    [`{"auto-create": ["column"] }\n${lines}`, { head: 1, first: 2 }],
  ] as const) {
    const got = parseLines(bytesOf(text), numbers, CONTEXT, scratch);
    t.equal(unlike(got, { parsed: wanted }), null);
  }
  t.end();
});

/** Lines, and the errors with which they are refused. */
const REFUSALS: readonly (readonly [string, number, string])[] = [
  ['{"country":"x"}', 2003, 'line 1: the line has no "id"'],
  ['{}', 2003, 'line 1: the line has no "id"'],
  ['\n \t\r\n{"id":""}', 2003, 'line 3: an entity ID is empty'],
  ['{"id":7,"country":"x"}', 2007, 'line 1: "id" is a number, not a string'],
  ['{"id":null,"country":"x"}', 2007, 'line 1: "id" is null, not a string'],
  ['[1]', 2005, 'line 1: the line is a list, not an object'],
  ['"u"', 2005, 'line 1: the line is a string, not an object'],
  ['{"id":"u"}', 2017, 'line 1: entity "u": no column is given'],
  ['{"id":"auto-create","country":"x"}', 2007, 'line 1: the ID "auto-create" is reserved'],
  ['{"id":"auto\\u002dcreate","country":"x"}', 2007, 'line 1: the ID "auto-create" is reserved'],
  ['{"auto-create":["column"],"country":"x"}', 2003, 'line 1: the line has no "id"'],
  [
    '{"id":"u","country":"x"}\n{"id":"U","country":"y"}',
    2019,
    'line 2: entity "u": the entity ID occurs twice in the request',
  ],
  ['{"id":"u","id":"x"}', 2011, 'line 1: entity "u": there is no column "id" in dimension "default"'],
  [
    '{"id":"u","__proto__":{"a":1}}',
    2011,
    'line 1: entity "u": there is no column "__proto__" in dimension "default"',
  ],
  // Lines that are invalid separately and would be valid if joined.
  [
    '{"id":"u","country":"x"},"v":{"country":"y"}',
    1503,
    "line 1: invalid JSON at byte 24: found ',', expected the end of the line",
  ],
  [
    '{"id":"u","country":"x"},{"id":"v","country":"y"}',
    1503,
    "line 1: invalid JSON at byte 24: found ',', expected the end of the line",
  ],
  [
    '{"id":"u",\n"country":"x"}',
    1503,
    'line 1: invalid JSON at byte 10: the line ends where a key in quotes is expected',
  ],
  [
    '{"id":"u","country":"x"\n}',
    1503,
    "line 1: invalid JSON at byte 23: the line ends where ',' or '}' is expected",
  ],
  [
    '{"id":"u","string-event":{"value":"a"}\n{"id":"integer-event","value":3}}\n{"id":"z","country":"x"},"w":{"country":"x"}',
    1503,
    "line 1: invalid JSON at byte 38: the line ends where ',' or '}' is expected",
  ],
  [
    '{"country":\n"x","id":"u"}',
    1503,
    'line 1: invalid JSON at byte 11: the line ends where a value is expected',
  ],
  [
    '{"id":"u","country":"x"} {"id":"v","country":"x"}',
    1503,
    "line 1: invalid JSON at byte 25: found '{', expected the end of the line",
  ],
  ['{"id":"u","country":"x",}', 1503, "line 1: invalid JSON at byte 24: found '}', expected a key in quotes"],
  ['{"id":"u\n","country":"x"}', 1503, 'line 1: invalid JSON at byte 8: the line ends inside a string'],
  [
    '{"id":"u","country":"x"}\n\u0000',
    1503,
    'line 2: invalid JSON at byte 0: found byte 0x00, expected a value',
  ],
  [
    '\ufeff{"id":"u","country":"x"}',
    1503,
    'line 1: invalid JSON at byte 0: found byte 0xef, expected a value',
  ],
  // Invalid JSON is reported before valid JSON that is not an entity.
  [
    '{"country":"x"}\n{',
    1503,
    'line 2: invalid JSON at byte 1: the line ends where a key in quotes is expected',
  ],
  // The first of several invalid lines of valid JSON is reported.
  [
    '{"id":"u","no":1}\n{"country":"x"}',
    2011,
    'line 1: entity "u": there is no column "no" in dimension "default"',
  ],
  ['{"country":"x"}\n{"id":"u","no":1}', 2003, 'line 1: the line has no "id"'],
];

t.test('an error names the line and the cause', (t) => {
  for (const module of [MODULE, null]) {
    for (const [text, code, message] of REFUSALS) {
      const outcome = parseLines(bytesOf(text), NO_HEAD, CONTEXT, createIngestScratch(module));
      const got = 'error' in outcome ? [outcome.error.code, outcome.error.message] : 'accepted';
      t.strictSame(got, [code, message], text);
    }
  }
  t.end();
});

t.test('line numbers start at the given number', (t) => {
  const scratch = createIngestScratch(MODULE);
  const reported = (text: string, head: number, first: number, customKey = false): unknown => {
    const outcome = parseLines(bytesOf(text), { head, first }, { ...CONTEXT, customKey }, scratch);
    return 'error' in outcome
      ? [outcome.error.code, outcome.error.message, outcome.error.moreInfo]
      : 'accepted';
  };
  t.strictSame(reported('\n{"id":5}', 0, 1001), [
    2007,
    'line 1002: "id" is a number, not a string',
    { line: 1002 },
  ]);
  const head = '{"auto-create":["column"]}\n';
  t.strictSame(reported(`${head}{"id":"u","new":1}\n{"id":"v","new":"x"}`, 2, 3001), [
    2007,
    'line 3002: new column "new": a new column cannot contain both integer and string',
    { line: 3002 },
  ]);
  const wrong = 'line 2: "auto-create" must be a list of "dimension" and "column": it is not a list';
  t.strictSame(reported('{"auto-create":7}\n{"id":"u","country":"x"}', 2, 3), [2007, wrong, { line: 2 }]);
  const alone = 'line 2: "auto-create" must be on a line of its own';
  t.strictSame(reported('{"auto-create":[],"id":"u"}\n', 2, 3), [2007, alone, { line: 2 }]);
  t.match(reported(`${head}{"id":"u","country":"x"}`, 1, 2, true), [505]);
  t.match(reported('{"auto-create":[\n{"id":"u","country":"x"}', 1, 2), [1503, /^line 1: .* the line ends/]);
  t.end();
});

t.test(
  'a head allows the lines after it to create columns, and lines without entities insert nothing',
  (t) => {
    const model = modelOf([dimension(1, 'default', [column(1, 'age', 'integer')])]);
    for (const scratch of [createIngestScratch(MODULE), createIngestScratch(null)]) {
      const context = { ...CONTEXT, model };
      const created = (text: string, head: number): unknown => {
        const outcome = parseLines(bytesOf(text), { head, first: 2 }, context, scratch);
        if ('error' in outcome) return outcome.error;
        const { createdColumns, entityCount, valueCount } = outcome.parsed;
        return [createdColumns.map(({ column: made }) => [made.apiName, made.type]), entityCount, valueCount];
      };
      const head = ' {"auto-create" : ["column"]}\t\r\n';
      t.strictSame(created(`${head}{"id":"u","new":1.5}\n{"age":3,"id":"v"}\n`, 1), [
        [['new', 'decimal']],
        2,
        2,
      ]);
      t.strictSame(created(`${head}{"id":"u","age":1}`, 1), [[], 1, 1]);
      for (const text of [head, head.trim(), `${head}\n \n`]) t.strictSame(created(text, 1), [[], 0, 0]);
      for (const text of ['', '\n', ' \r\n\t\n']) t.strictSame(created(text, 0), [[], 0, 0]);
    }
    t.end();
  },
);
