import t from 'tap';
import { limitsText, readLimits } from '../../../src/commands/serve/limits-file.js';
import { ENDPOINTS, SPEC_LIMITS } from '../../../src/http/index.js';

const wrongOf = (text: string): string => {
  const read = readLimits(text);
  if (!('wrong' in read)) throw new Error(`taken: ${text}`);
  return read.wrong;
};

t.test('a limit that the file does not name keeps its default', (t) => {
  t.strictSame(readLimits(''), SPEC_LIMITS);
  const text = `
    entities-per-minute = 1_000_000
    [queries-per-minute]
    mega = 20000
    [writes-per-day]
    normal = 0
    high = 1000000000000
    [requests-per-minute]
    "POST /v1/sql" = 1000
    "DELETE /v1/query/saved/:query_name" = 5
  `;
  t.strictSame(readLimits(text), {
    entitiesPerMinute: 1_000_000,
    queriesPerMinute: { ...SPEC_LIMITS.queriesPerMinute, mega: 20_000 },
    writesPerDay: { ...SPEC_LIMITS.writesPerDay, normal: 0, high: 1e12 },
    requestsPerMinute: new Map([
      ['POST /v1/sql', 1000],
      ['DELETE /v1/query/saved/:query_name', 5],
    ]),
  });
  t.end();
});

t.test('every endpoint can have a limit, and a printed table is read back unchanged', (t) => {
  const requestsPerMinute = new Map(ENDPOINTS.map(({ method, path }, index) => [`${method} ${path}`, index]));
  const table = { ...SPEC_LIMITS, requestsPerMinute };
  t.strictSame(readLimits(limitsText(table)), table);
  t.strictSame(readLimits(limitsText(SPEC_LIMITS)), SPEC_LIMITS);
  t.end();
});

t.test('any other content of a file is refused, and the message names its key', (t) => {
  const wholeNumber = 'expected a whole number from 0 to 1000000000000';
  for (const value of [
    '-1',
    '1.0',
    '1e3',
    'true',
    '"5"',
    '[5]',
    '{a = 5}',
    '2024-01-01',
    '1000000000001',
    'inf',
  ]) {
    t.equal(wrongOf(`entities-per-minute = ${value}`), `entities-per-minute: ${wholeNumber}`, value);
    t.equal(wrongOf(`[writes-per-day]\nmega = ${value}`), `writes-per-day.mega: ${wholeNumber}`, value);
    t.equal(
      wrongOf(`[requests-per-minute]\n"POST /v1/sql" = ${value}`),
      `requests-per-minute."POST /v1/sql": ${wholeNumber}`,
      value,
    );
  }
  for (const value of ['5', '"x"', '[]', '[[5]]', '2024-01-01']) {
    t.match(wrongOf(`queries-per-minute = ${value}`), /^queries-per-minute: expected a section/, value);
  }
  t.match(wrongOf('entities_per_minute = 5'), /^unknown key "entities_per_minute"; the keys are /);
  t.match(wrongOf('[queries-per-minute]\nhuge = 5'), /^queries-per-minute: unknown plan "huge"/);
  t.match(wrongOf('[queries-per-minute]\nconstructor = 5'), /unknown plan "constructor"/);
  t.match(wrongOf('__proto__ = 5'), /unknown key "__proto__"/);
  for (const endpoint of [
    'POST /v1/nothing',
    'post /v1/sql',
    'POST /v1/sql/',
    'POST  /v1/sql',
    'GET /metrics',
  ]) {
    t.match(
      wrongOf(`[requests-per-minute]\n"${endpoint}" = 5`),
      `"${endpoint}" is not an endpoint`,
      endpoint,
    );
  }
  t.match(wrongOf('entities-per-minute = 1\nentities-per-minute = 2'), /redefine|already|duplicate/i);
  t.match(wrongOf('entities-per-minute ='), /Invalid TOML/);
  t.end();
});
