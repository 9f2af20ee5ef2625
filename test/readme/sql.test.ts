/** The README's SQL, run as it stands there, with bash and curl, on the data of the chapter before it. */
import t from 'tap';
import { linesOf, missingTools, shellBlocksUnder } from './shell.js';

t.setTimeout(120_000);

const missing = missingTools();
const MARK = 'and now in SQL';

/** Answers to its statements up to the writes, in their order. */
const EXPECTED = [
  {
    result: [
      { country: null, people: 1200, AVG: 49.5 },
      { country: 'germany', people: 2, AVG: 42.5 },
      { country: 'france', people: 1, AVG: 27 },
    ],
    count: 3,
  },
  {
    result: [
      { 'entity-id': 'u3', land: 'GERMANY', band: 'older' },
      { 'entity-id': 'u1', land: 'GERMANY', band: 'younger' },
      { 'entity-id': 'u2', land: 'FRANCE', band: 'younger' },
    ],
    count: 3,
  },
  { result: [{ COUNT: 2 }], count: 1 },
  {
    result: [
      { 'visit.value': 'docs', visitors: 2, visits: 2 },
      { 'visit.value': 'pricing', visitors: 1, visits: 2 },
    ],
    count: 2,
  },
  {
    result: [
      { day: '2026-01-05T00:00:00Z', SUM: 9.5 },
      { day: '2026-01-06T00:00:00Z', SUM: 25.25 },
    ],
    count: 2,
  },
  { result: [{ COUNT: 1 }], count: 1 },
  {
    result: [
      { result: { 'inserted-entities': 2, 'inserted-values': 5 }, count: 2 },
      { result: { updated: 1 }, count: 1 },
      { result: { deleted: 1 }, count: 1 },
    ],
    count: 3,
  },
];

/** Without `took`, which nobody knows before. */
const withoutTook = (text: string): unknown =>
  JSON.parse(text, (key, value) => (key === 'took' || key === 'status' ? undefined : value));

t.test(
  'every statement of the README is answered as its data says',
  { skip: missing.length > 0 && `not on this machine: ${missing.join(', ')}` },
  async (t) => {
    const [, first] = shellBlocksUnder('Use it');
    const [questions] = shellBlocksUnder('Asking');
    const [statements] = shellBlocksUnder('SQL');
    const script = `${first}\n${questions}\necho '${MARK}'\n${statements}\nhead -c 1000 people.arrows | wc -c`;
    const all = await linesOf(t, script);
    const lines = all.slice(all.indexOf(MARK) + 1).filter((line) => line !== '');
    t.strictSame(lines.slice(0, EXPECTED.length).map(withoutTook), EXPECTED);
    const [head, ...rows] = lines.slice(EXPECTED.length);
    t.equal(head, 'entity-id,age');
    t.strictSame(rows.slice(0, 3), ['a126,26', 'a226,26', 'a26,26']);
    t.strictSame(
      rows.slice(3, 6).map((line) => JSON.parse(line)),
      ['a126', 'a226', 'a26'].map((id) => ({ 'entity-id': id, age: 26 })),
    );
    const [explained, arrows, ...more] = rows.slice(6);
    const plan = (JSON.parse(explained) as { result: { operator: string; rows: number | null }[] }).result;
    t.match(plan.at(-1), { operator: 'answer', rows: 4 });
    t.ok(plan.some(({ operator }) => operator === 'scan'));
    t.equal(arrows.trim(), '1000', 'the Arrow stream lies in its file');
    t.strictSame(more, []);
  },
);
