/** The completions at the cursor of the editors. */
import t from 'tap';
import { completeJson, completeSql } from '../../../src/console/query/complete.js';
import { METRICS, PREDICATES } from '../../../src/interface/index.js';
import { MODEL } from '../model.js';

const sql = (before: string, behind = ''): readonly string[] =>
  completeSql(before, before + behind, MODEL)?.suggestions.map(({ text }) => text) ?? [];
const json = (before: string, behind = ''): readonly string[] =>
  completeJson(before, before + behind, MODEL)?.suggestions.map(({ text }) => text) ?? [];

t.test('completions of SQL are columns, in brackets where required, and tables after FROM', async (t) => {
  t.strictSame(sql('SELECT sta'), ['state', 'STARTS_WITH']);
  t.strictSame(sql('SELECT [del'), ['[delay.value]', '[delay.date]']);
  t.strictSame(sql('SELECT COUNT(*) FROM a'), ['airports']);
  t.strictSame(sql('SELECT * FROM def'), ['[default]']);
  t.strictSame(sql('SELECT cou', ' FROM [default]'), ['COUNT'], 'columns of that table only');
  t.strictSame(sql("SELECT city FROM airports WHERE city = 'sta"), [], 'nothing within a string');
  t.equal(completeSql('SELECT sta', 'SELECT sta', MODEL)?.from, 7);
});

t.test('completions of JSON are names and predicates within strings', async (t) => {
  t.strictSame(json('{"sta'), ['state', 'starts-with']);
  for (const name of [...PREDICATES, ...METRICS, 'minfreq', 'query-name', 'filter', 'columns']) {
    const note = completeJson(`{"${name}`, `{"${name}`, MODEL)?.suggestions[0]?.note;
    t.ok(note, `${name} has a note`);
    t.ok(json(`{"${name}`).includes(name), name);
  }
  t.strictSame(json('{"dimension": "air'), ['airports']);
  t.strictSame(json('{"dimension": '), []);
  t.strictSame(json('{"run', '", "dimension": "default"}'), [], 'no columns of another dimension');
});
