/** The answers to the statements of docs/sql.md equal answers that were derived from its data by hand. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { checkOutputs, missingTools, runPage } from './shell.js';

t.setTimeout(240_000);

const missing = missingTools();

/** Answers to the statements before the first write, in order. */
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
  {
    result: [
      { day: '2026-01-04T15:00:00Z', tokyo: 'Mon 05 Jan 09:00' },
      { day: '2026-01-05T15:00:00Z', tokyo: 'Tue 06 Jan 09:00' },
    ],
    count: 2,
  },
  { result: [{ span: '2 days', seconds: 172_800, later: '2026-02-28', age: '2 years 1 day' }], count: 1 },
  {
    result: [
      { 'entity-id': 'u1', longitude: 13.4, metres: 2_249 },
      { 'entity-id': 'u3', longitude: 11.58, metres: 503_924 },
    ],
    count: 2,
  },
  { result: [{ facts: { people: 2, oldest: 51 }, member: 'x' }], count: 1 },
  // About half of 1,203; the numbers depend on the seed and the entity IDs alone.
  { result: [{ people: 588 }], count: 1 },
  {
    result: [
      { word: 'france', people: 1 },
      { word: 'germany', people: 2 },
    ],
    count: 2,
  },
  {
    result: [
      { item: 'b', nr: 1 },
      { item: 'a', nr: 2 },
    ],
    count: 2,
  },
  { result: [{ oldest: 51 }], count: 1 },
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
      { country: 'germany', people: 2, position: 1 },
      { country: 'france', people: 1, position: 2 },
    ],
    count: 2,
  },
  {
    result: [
      { country: 'germany', visits: 3, visitors: 2 },
      { country: 'france', visits: 1, visitors: 1 },
    ],
    count: 2,
  },
  // 12 people each of the ages 50 to 99, none of whom has visits.
  { result: [{ people: 600 }], count: 1 },
  {
    result: [
      { day: '2026-01-04', visits: 0 },
      { day: '2026-01-05', visits: 1 },
      { day: '2026-01-06', visits: 2 },
    ],
    count: 3,
  },
  { result: [1, 2, 4, 8, 16, 32].map((n) => ({ n })), count: 6 },
  {
    result: [
      { result: { 'inserted-entities': 2, 'inserted-values': 5 }, count: 2 },
      { result: { updated: 1 }, count: 1 },
      { result: { deleted: 1 }, count: 1 },
    ],
    count: 3,
  },
  { result: { 'inserted-entities': 2, 'inserted-values': 4 }, count: 2 },
  { result: [{ 'entity-id': 'u3', age: 52 }], count: 1 },
  { result: [{ 'entity-id': 'twin-u1' }, { 'entity-id': 'twin-u3' }], count: 2 },
  { result: { 'inserted-entities': 3, 'inserted-values': 6 }, count: 3 },
  { result: { altered: ['lands'] }, count: 0 },
  { result: { renamed: ['countries'] }, count: 0 },
  { result: { dropped: ['countries'] }, count: 0 },
  { result: { created: ['adults'] }, count: 0 },
  { result: { dropped: ['adults'] }, count: 0 },
];

/** The answer without `took`, which varies. */
const withoutTook = (text: string): unknown =>
  JSON.parse(text, (key, value) => (key === 'took' || key === 'status' ? undefined : value));

t.test(
  'every statement of the page has the answer that follows from its data',
  { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` },
  async (t) => {
    const { site, ran } = await runPage(t, 'docs/sql.md');
    checkOutputs(t, ran);
    const lines = ran.flatMap(({ found }) => found.split(/\r?\n/)).filter((line) => line !== '');
    t.strictSame(lines.slice(0, EXPECTED.length).map(withoutTook), EXPECTED);
    const [head, ...rows] = lines.slice(EXPECTED.length);
    t.equal(head, 'entity-id,age');
    t.strictSame(rows.slice(0, 3), ['a126,26', 'a226,26', 'a26,26']);
    t.strictSame(
      rows.slice(3, 6).map((line) => JSON.parse(line)),
      ['a126', 'a226', 'a26'].map((id) => ({ 'entity-id': id, age: 26 })),
    );
    const [explained, ...more] = rows.slice(6);
    const plan = (JSON.parse(explained) as { result: { operator: string; rows: number | null }[] }).result;
    t.match(plan.at(-1), { operator: 'answer', rows: 4 });
    t.ok(plan.some(({ operator }) => operator === 'scan'));
    const arrows = fs.statSync(path.join(site.dir, 'people.arrows'));
    t.ok(arrows.size > 1_000, 'the file contains the Arrow stream');
    t.strictSame(more, []);
  },
);
