/** The answers to the commands of docs/http-api.md equal answers that were derived from its data by hand. */
import t, { type Test } from 'tap';
import { answersIn, checkOutputs, missingTools, runPage } from './shell.js';

t.setTimeout(240_000);

const missing = missingTools();

t.test(
  'every request of the page has the answer that follows from its data',
  { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` },
  async (t) => {
    const { ran } = await runPage(t, 'docs/http-api.md');
    checkOutputs(t, ran);
    const answers = answersIn(ran);
    const life = answers.splice(-LIFE_ANSWERS);
    const expected: readonly object[] = [
      { 'api-name': ['shops'] },
      { 'api-name': ['home', 'paid', 'seen'] },
      { 'inserted-entities': 3, 'inserted-values': 11 },
      { status: 'error', part: 1, 'first-line': 1, lines: 2 },
      { result: { updated: 1 } },
      { result: { updated: 1 } },
      { result: { deleted: 0 } },
      {
        result: {
          pricing: 2,
          '5 to 10': 2,
          'in Berlin': 1,
          'by day': [
            { count: 1, between: ['2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'] },
            { count: 2, between: ['2026-01-06T00:00:00Z', '2026-01-07T00:00:00Z'] },
          ],
        },
      },
      {
        result: {
          country: [
            {
              quantity: 2,
              value: 'germany',
              visit: [
                { quantity: 1, value: 'docs', paid: { sum: 0 } },
                { quantity: 1, value: 'pricing', paid: { sum: 29.5 } },
              ],
            },
            { quantity: 1, value: 'france', visit: [{ quantity: 1, value: 'docs', paid: { sum: 5.25 } }] },
          ],
        },
      },
      {
        result: {
          paid: [
            { sum: 9.5, between: ['2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'] },
            { sum: 25.25, between: ['2026-01-06T00:00:00Z', '2026-01-07T00:00:00Z'] },
          ],
        },
      },
      {
        result: {
          paid: [
            { max: 9.5, between: ['2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'] },
            { max: 20, between: ['2026-01-06T00:00:00Z', '2026-01-12T00:00:00Z'] },
          ],
        },
      },
      {
        result: {
          pages: {
            visit: [
              { quantity: 2, value: 'docs' },
              { quantity: 1, value: 'pricing' },
            ],
          },
          countries: { country: [{ quantity: 2, value: 'germany' }] },
        },
      },
      {
        data: [
          {
            'entity-id': 'u3',
            country: 'germany',
            age: '51',
            visit: { value: 'docs', date: '2026-01-07T00:00:00Z' },
          },
          {
            'entity-id': 'u1',
            country: 'germany',
            age: '34',
            visit: [
              { value: 'pricing', date: '2026-01-05T00:00:00Z' },
              { value: 'pricing', date: '2026-01-06T09:30:00Z' },
            ],
          },
        ],
        page: 1,
        'next-page': null,
      },
      {
        data: {
          u3: {
            country: 'germany',
            home_distance: kilometresFromFrankfurt(11.58, 48.14),
            home_coordinates: [11.58, 48.14],
          },
          u1: {
            country: 'germany',
            home_distance: kilometresFromFrankfurt(13.4, 52.5),
            home_coordinates: [13.4, 52.5],
          },
        },
        page: 1,
        'next-page': null,
      },
      {
        data: [
          { 'entity-id': 'u3', age: '51', score: 3 },
          { 'entity-id': 'u1', age: '34', score: 2 },
          { 'entity-id': 'u2', age: '27', score: 1 },
        ],
        page: 1,
        'next-page': null,
      },
      { 'inserted-entities': 600, 'inserted-values': 600 },
      { 'inserted-entities': 600, 'inserted-values': 600 },
      { data: secondPage(), page: 2, 'next-page': null },
      { name: 'docs', type: 'count/event', dimension: 'default', 'cache-period': 60 },
      { type: 'count/event', dimension: 'default', result: { query: 2 } },
    ];
    t.equal(answers.length, expected.length);
    const compare = (answer: Record<string, unknown>, members: object): void => {
      const wanted = { status: 'success', ...members };
      const found = Object.fromEntries(Object.keys(wanted).map((name) => [name, answer[name]]));
      t.strictSame(rounded(found), rounded(wanted), Object.keys(members).join());
    };
    for (const [index, members] of expected.entries()) compare(answers[index], members);
    checkLife(t, life);
  },
);

/** Number of answers to the commands under "The life of a database". */
const LIFE_ANSWERS = 20;

function checkLife(t: Test, answers: Record<string, unknown>[]): void {
  t.strictSame(
    answers.map(({ status }) => status),
    answers.map(() => 'success'),
  );
  const has = (...members: object[]): void => {
    for (const member of members) t.match(answers.shift(), member);
  };
  has({ 'api-name': ['customers'] }, { 'api-name': ['country', 'order', 'paid'] });
  has({ columns_on_relation: ['order', 'paid'] });
  const inserted = { 'inserted-entities': 2, 'inserted-values': 4 };
  has(inserted, inserted, { result: { updated: 1 } }, { result: { chile: 1 } });
  has({ result: { total: 1 } }, { 'permission-groups': ['analysts'] }, { users: ['ada@example.com'] });
  has({ users: [{ email: 'ada@example.com', 'permission-group': 'analysts' }] });
  has({ permissions: [1, 6], databases: ['shop'] });
  const usage = { 'inserted-entities': 2, 'inserted-values': 4, 'updated-entities': 1 };
  has({ name: 'shop', dimensions: ['default', 'customers'], usage });
  has({ 'api-name': ['country'] }, { 'api-name': ['country'] });
  has({ 'api-name': ['paid'] }, { 'api-name': ['paid'] });
  has({ result: { deleted: 1 } }, { 'database-name': ['old-shop'] }, { 'database-name': ['old-shop'] });
  t.strictSame(answers, []);
}

/** Rounds numbers to nine digits, because both sides round their results. */
const rounded = (answer: object): unknown =>
  JSON.parse(
    JSON.stringify(answer, (_name, value) =>
      typeof value === 'number' ? Number(value.toPrecision(9)) : value,
    ),
  );

/** The great-circle distance from (8.68, 50.11). */
function kilometresFromFrankfurt(longitude: number, latitude: number): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [a, b] = [radians(50.11), radians(latitude)];
  const turn = Math.cos(radians(longitude - 8.68));
  return 6371.0088 * Math.acos(Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * turn);
}

/** The second page of all entities by descending age, then by ID. */
function secondPage(): object[] {
  const rows = [
    { id: 'u1', age: 34 },
    { id: 'u2', age: 27 },
    { id: 'u3', age: 51 },
  ];
  for (const name of ['a', 'b']) {
    for (let index = 0; index < 600; index++) rows.push({ id: `${name}${index}`, age: index % 100 });
  }
  rows.sort((a, b) => b.age - a.age || (a.id < b.id ? -1 : 1));
  return rows.slice(1024).map(({ id, age }) => ({ 'entity-id': id, age: String(age) }));
}
