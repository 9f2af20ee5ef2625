import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { instantIn } from '../../../src/ingest/records/instants.js';

t.test('dates and times as shippers write them', async (t) => {
  const wanted: readonly (readonly [string, string | null])[] = [
    ['2026-01-05', '2026-01-05'],
    ['2026-01-05T10:20:30Z', '2026-01-05T10:20:30Z'],
    ['2026-01-05t10:20:30z', '2026-01-05T10:20:30Z'],
    ['2026-01-05 10:20', '2026-01-05T10:20:00Z'],
    ['2026-01-05T10:20:30.999999999Z', '2026-01-05T10:20:30Z'],
    ['2026-01-05T00:20:30,5+01:00', '2026-01-04T23:20:30Z'],
    ['2026-01-05T23:20:30-0130', '2026-01-06T00:50:30Z'],
    ['2026-01-05T23:20:30+05', '2026-01-05T18:20:30Z'],
    ['1767608430', '2026-01-05T10:20:30Z'],
    ['1767608430.75', '2026-01-05T10:20:30Z'],
    ['1767608430999', '2026-01-05T10:20:30Z'],
    ['1767608430999999', '2026-01-05T10:20:30Z'],
    ['1767608430999999999', '2026-01-05T10:20:30Z'],
    ['-1', '1969-12-31T23:59:59Z'],
    ['-0.5', '1969-12-31T23:59:59Z'],
    ['0', '1970-01-01T00:00:00Z'],
    ['2026-02-30T10:20:30Z', null],
    ['2026-01-05T24:00:01Z', null],
    ['2026-01-05T10:20:30+25:00', null],
    ['0001-01-01T00:00:00+01:00', '0000-12-31T23:00:00Z'],
    ['0000-01-01T00:00:00+01:00', null],
    ['Jan  5 10:20:30', null],
    ['', null],
    ['1e9', null],
  ];
  for (const [text, instant] of wanted) t.equal(instantIn(text), instant, text);
});

t.test('every unit and every offset of an instant gives that instant', async (t) => {
  const seed = 8_123;
  const random = new Prng(seed);
  for (let round = 0; round < 2_000; round++) {
    const seconds = random.between(100_000_000, 4_000_000_000);
    const wanted = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
    const minutes = random.between(-14 * 60, 14 * 60);
    const local = new Date((seconds + minutes * 60) * 1000).toISOString().slice(0, 19);
    const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');
    const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
    const texts = [
      `${seconds}`,
      `${seconds}${String(random.between(0, 999)).padStart(3, '0')}`,
      `${seconds}${String(random.between(0, 999_999)).padStart(6, '0')}`,
      `${seconds}${String(random.between(0, 999_999_999)).padStart(9, '0')}`,
      `${local}${offset}`,
    ];
    const wrong = texts.filter((text) => instantIn(text) !== wanted);
    if (wrong.length > 0) return t.fail(`seed ${seed}, round ${round}: ${wrong.join(' ')}, wanted ${wanted}`);
  }
  t.pass();
});
