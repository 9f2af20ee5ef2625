/** What the runner of scripts counts as answered, wrong, refused and skipped. */
import t from 'tap';
import { SqliteEngine } from './judges.js';
import { newReport, runScript } from './run.js';
import { readScript, scriptText } from './script.js';

const SCRIPT = `# a comment
hash-threshold 8

statement ok
CREATE TABLE t1(a INTEGER, b TEXT)

statement ok
INSERT INTO t1 VALUES (3, 'x'), (1, ''), (NULL, 'é')

statement error
INSERT INTO nowhere VALUES (1)

query IT rowsort
SELECT a, b FROM t1
----
1
(empty)
3
x
NULL
@@

query I valuesort pair
SELECT a FROM t1 WHERE a IS NOT NULL
----
2 values hashing to 0a88863510308751293f4b91afc07dd6

query R nosort
SELECT a / 2.0 FROM t1 WHERE a = 3
----
1.500

skipif sqlite
query I nosort
SELECT unknown()
----
1

onlyif sqlite
query I nosort
SELECT a FROM t1 WHERE a = 1
----
2

query I nosort pair
SELECT a FROM t1 WHERE a = 3
----
3

query II nosort
SELECT a FROM t1 WHERE a = 3
----
3

statement error
SELECT a FROM t1

query I nosort
SELECT missing FROM t1
----

statement ok
SELECT missing FROM t1

halt

query I nosort
SELECT 1
----
2
`;

t.test('a script is run record by record', async (t) => {
  const engine = await SqliteEngine.open();
  t.teardown(() => engine.close());
  const records = readScript(SCRIPT);
  t.strictSame(
    readScript(scriptText(records)),
    records.map((record, at) => ({ ...record, line: linesOf(records)[at] })),
  );
  const report = newReport();
  await runScript(engine, records, report);
  t.strictSame([report.answered, report.skipped], [6, 1]);
  t.strictSame(
    report.wrong.map(({ what }) => what),
    [
      'value 1 is 1 instead of 2',
      'another result than the query before with label pair',
      '1 columns instead of 2',
      'the statement was accepted, but it must be refused',
    ],
  );
  t.strictSame(
    report.refused.map(({ what }) => what),
    ['no such column: missing', 'no such column: missing'],
  );
});

/** The lines of the records in the text that is written for them. */
function linesOf(records: ReturnType<typeof readScript>): readonly number[] {
  let line = 1;
  return records.map((record) => {
    const own = line;
    line += scriptText([record]).split('\n').length;
    return own;
  });
}

t.test('a record of another form is refused with its line', async (t) => {
  t.throws(() => readScript('\n\nselect 1'), {
    message: 'line 3: expected statement, query, hash-threshold or halt',
  });
  t.throws(() => readScript('query X\nSELECT 1\n----\n1'), { message: /line 1: expected types of columns/ });
  t.throws(() => readScript('query I\nSELECT 1'), { message: /expected ----/ });
  t.throws(() => readScript('statement perhaps\nSELECT 1'), { message: /statement ok or statement error/ });
});
