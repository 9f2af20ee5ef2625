import t from 'tap';
import { withNewerNames } from '../../../src/pg/catalog/older-names.js';
import { readPostgres } from '../../../src/sql/index.js';

const newer = (text: string, at = 0): string => withNewerNames(readPostgres(text)[at], text);

t.test('old column names are replaced by the new ones, and positions stay valid', async (t) => {
  t.equal(newer('SELECT d.daticulocale AS "ICU" FROM x d'), 'SELECT d.datlocale    AS "ICU" FROM x d');
  t.equal(
    newer("SELECT 1;\nSELECT '𝔞' AS 東,\n  c.COLLICULOCALE, daticulocale, 1", 1),
    "SELECT '𝔞' AS 東,\n  c.colllocale   , datlocale   , 1",
  );
});

t.test('strings, quoted names and other names stay unchanged', async (t) => {
  const text = `SELECT 'daticulocale', "daticulocale", daticulocales, /* daticulocale */ datlocale FROM d`;
  t.equal(newer(text), text);
});
