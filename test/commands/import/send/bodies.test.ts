/** Rows divided into insert bodies, compared with a model that holds every entity as an object. */
import t from 'tap';
import { ENTITIES_PER_INSERT_MAX, Prng } from '../../../../src/base/index.js';
import type { RowBlock } from '../../../../src/commands/import/formats/row-block.js';
import { guessColumn } from '../../../../src/commands/import/mapping/guess.js';
import type { Mapping, Target } from '../../../../src/commands/import/mapping/mapping.js';
import { type Body, BodyCutter, bodyText, isDistinct } from '../../../../src/commands/import/send/bodies.js';
import type { ColumnType } from '../../../../src/schema/index.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);
const random = new Prng(SEED);

const NAMES = ['id', 'text', 'n', 'page', 'at'];
type Row = readonly [
  id: string,
  text: string | null,
  n: number | null,
  page: string | null,
  at: string | null,
];

function target(column: string, source: number, date: number | null, type: ColumnType): Target {
  const storage = date === null ? ('latest-value' as const) : null;
  const form = { type, storage, roundedTo: null, nulls: new Set<string>() };
  return { source, date, column, form, made: null, guess: guessColumn([], false, null, new Set()) };
}

const ATTRIBUTES = [target('text', 1, null, 'string'), target('n', 2, null, 'integer')];
const mappingOf = (id: readonly number[] | null, targets: readonly Target[]): Mapping => ({
  ...{
    dimension: 'd',
    dimensionAt: null,
    areLines: false,
    isNewDimension: false,
    idCase: 'fold',
    id,
    targets,
    leftOut: [],
    remarks: [],
  },
});

function bodiesOf(mapping: Mapping, rows: readonly Row[]): Body[] {
  const cutter = new BodyCutter(mapping, NAMES, 'file');
  const bodies: Body[] = [];
  for (let from = 0; from < rows.length; ) {
    const some = rows.slice(from, from + random.between(1, 900));
    const block: RowBlock = {
      ...{ count: some.length, lines: null, texts: null, broken: [] },
      columns: NAMES.map((_, column) => some.map((row) => row[column])),
      rowNumbers: some.map((_, index) => from + index + 1),
    };
    bodies.push(...cutter.take(block));
    from += some.length;
  }
  const rest = cutter.rest();
  return rest === null ? bodies : [...bodies, rest];
}

/** The entities of `rows`, in the order of their first rows; IDs are case-insensitive. */
function modelOf(rows: readonly Row[], idOf: (row: Row) => string, hasEvents: boolean): unknown {
  const entities = new Map<string, { id: string; values: Record<string, unknown>; seen: unknown[] }>();
  for (const row of rows) {
    const id = idOf(row);
    const entity = entities.get(id.toLowerCase()) ?? { id, values: {}, seen: [] };
    entities.set(id.toLowerCase(), entity);
    const [, text, n, page, at] = row;
    if (text !== null) entity.values.text = text;
    if (n !== null) entity.values.n = n;
    if (hasEvents && page !== null) entity.seen.push({ value: page, date: `${at}T00:00:00Z` });
  }
  return Object.fromEntries(
    Array.from(entities.values(), ({ id, values, seen }) => [
      id,
      { dimension: 'd', ...values, ...(seen.length === 0 ? {} : { seen }) },
    ]),
  );
}

const some = <T>(value: T): T | null => (random.chance(0.2) ? null : value);

/** A row with one of `idCount` IDs, in either case, and at least one value. */
function rowOf(index: number, idCount: number): Row {
  const id = `${random.pick(['u', 'U'])}${random.below(idCount)}`;
  const text = `t"${index}`;
  return [id, text, some(index), some(`p${index}`), `20${random.between(10, 24)}-02-03`];
}

t.test('each row is in one body, and each entity there has its last values and all its events', async (t) => {
  for (const idCount of [1, 30, 1_000, 1_000_000]) {
    for (const hasEvents of [false, true]) {
      const targets = hasEvents ? [...ATTRIBUTES, target('seen', 3, 4, 'string-event')] : ATTRIBUTES;
      for (const id of [[0], null]) {
        const rows = Array.from({ length: random.between(1, 2_500) }, (_, index) => rowOf(index, idCount));
        const mapping = mappingOf(id, targets);
        const bodies = bodiesOf(mapping, rows);
        const label = `${rows.length} rows, ${idCount} IDs`;
        let from = 0;
        for (const body of bodies) {
          const part = rows.slice(from, body.lastRow);
          const first = from;
          const idOf =
            id === null ? (row: Row) => `file:${first + part.indexOf(row) + 1}` : ([of]: Row) => of;
          const model = modelOf(part, idOf, hasEvents);
          const entityCount = Object.keys(model as object).length;
          t.equal(isDistinct(body), entityCount === part.length, label);
          const isFull = entityCount === ENTITIES_PER_INSERT_MAX;
          t.ok(isFull || (entityCount < ENTITIES_PER_INSERT_MAX && body === bodies.at(-1)), label);
          const text = bodyText(mapping, body.rows, isDistinct(body));
          t.strictSame(JSON.parse(text), model, label);
          t.equal(text, bodyText(mapping, body.rows, false), 'both ways of writing a body are equal');
          from = body.lastRow;
        }
        t.equal(from, rows.length, label);
      }
    }
  }
});

t.test('bodies without rows and bad rows are reported', async (t) => {
  t.equal(bodyText(mappingOf([0], ATTRIBUTES), [], true), '{}');
  const rows: Row[] = [
    ['', 'a', 1, null, null],
    ['b', null, null, null, null],
    ['c', 'c', 3, null, null],
  ];
  const [body, ...others] = bodiesOf(mappingOf([0], ATTRIBUTES), rows);
  t.strictSame(others, []);
  t.strictSame(
    body.bad.map(({ row, reason }) => [row, reason]),
    [
      [1, 'the row has no ID'],
      [2, 'no column has a value'],
    ],
  );
  t.strictSame(
    body.rows.map(({ id }) => id),
    ['c'],
  );
});
