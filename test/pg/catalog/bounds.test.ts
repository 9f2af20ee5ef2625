import t from 'tap';
import { refuseComplex } from '../../../src/pg/catalog/bounds.js';
import { readPostgres } from '../../../src/sql/index.js';

const check = (text: string): void => refuseComplex(text, readPostgres(text)[0].tokens);
const ids = Array.from({ length: 20_000 }, (_, at) => at).join();

t.test('texts that overflow the stack of the catalog are refused, and long lists are not', async (t) => {
  const refused: readonly (readonly [string, RegExp])[] = [
    [`SELECT 1${'+1'.repeat(1_001)} FROM pg_class`, /more than 1000 operators/],
    [`SELECT '1'${'::text'.repeat(1_001)} FROM pg_class`, /more than 1000 operators/],
    [`SELECT ${'('.repeat(201)}1${')'.repeat(201)} FROM pg_class`, /nests deeper than 200 levels/],
    [`SELECT 1 FROM pg_class${' UNION TABLE pg_class'.repeat(130)}`, /more than 250 SELECTs/],
    [`SELECT 1 FROM pg_class ${'JOIN pg_class USING (oid)'.repeat(251)}`, /more than 250 SELECTs/],
    [`SELECT '${'é'.repeat(140_000)}' FROM pg_class`, /longer than 262144 bytes/],
  ];
  for (const [text, message] of refused) {
    t.throws(() => check(text), { state: '54001', message }, `${text.slice(0, 40)}: refused`);
  }
  for (const text of [
    `SELECT relname FROM pg_class WHERE oid IN (${ids})`,
    `SELECT 1${'+1'.repeat(1_000)} FROM pg_class`,
    `SELECT ${'('.repeat(200)}1${')'.repeat(200)} FROM pg_class`,
    `SELECT 1 FROM pg_class WHERE true${' OR relname IS NULL'.repeat(5_000)}`,
  ]) {
    t.doesNotThrow(() => check(text), `${text.slice(0, 40)}: accepted`);
  }
});
