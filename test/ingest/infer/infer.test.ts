import t, { type Test } from 'tap';
import { createIngestScratch, type ParsedInsert, parseInsert } from '../../../src/ingest/index.js';
import { type DatabaseModel, newDimension } from '../../../src/schema/index.js';
import { modelOf, NOW_MS, sampleModel } from '../../support/ingest/ingest-bodies.js';
import { differenceOf } from '../../support/ingest/ingest-compare.js';
import { ingestOracle } from '../../support/ingest/ingest-oracle.js';

const scratch = createIngestScratch();
const empty = modelOf([newDimension({ id: 1, apiName: 'default' })]);

function accepted(t: Test, body: string, model: DatabaseModel): ParsedInsert {
  const bytes = new TextEncoder().encode(body);
  const context = { model, nowMs: NOW_MS, customKey: false, columnIds: null };
  const outcome = parseInsert(bytes, { ...context, shardCount: 2 }, scratch);
  if ('error' in outcome) throw new Error(`${body}: ${outcome.error.message}`);
  const expected = ingestOracle(bytes, context);
  if ('code' in expected) throw new Error(`${body}: the oracle refuses it with ${expected.code}`);
  t.equal(differenceOf(outcome.parsed, expected.result, 2), null, body);
  return outcome.parsed;
}

/** [values of the new column, one entity each; its type; its storage; its decimal places] */
const TYPES: readonly (readonly [readonly string[], string, string | null, (number | null)?])[] = [
  [['1'], 'integer', 'latest-value'],
  [['null', '-5'], 'integer', 'latest-value'],
  [['1.0'], 'decimal', 'latest-value', 6],
  [['1e2', '0.123456789'], 'decimal', 'latest-value', 9],
  [['1', '2.5'], 'decimal', 'latest-value', 6],
  [['2.5', '1'], 'decimal', 'latest-value', 6],
  [['1.50000000000000000000000'], 'decimal', 'latest-value', 6],
  [['0.00000000000000000001'], 'decimal', 'latest-value', 20],
  [['true', 'false'], 'boolean', 'latest-value'],
  [['"true"'], 'string', 'latest-value'],
  [['"x"', '"2026-02-30"'], 'string', 'latest-value'],
  [['"2026-01-05"'], 'date', 'latest-value'],
  [['"2026-01-05T10:00:00+02:00"'], 'datetime', 'latest-value'],
  [['"2026-01-05"', '"2026-01-05T10:00:00Z"'], 'datetime', 'latest-value'],
  [['"2026-01-05T10:00:00Z"', '"2026-01-05"'], 'datetime', 'latest-value'],
  [['[1,2]'], 'integer', 'list-of-values'],
  [['[13.4,52.5]'], 'decimal', 'list-of-values', 6],
  [['[]', '["a"]', 'null'], 'string', 'list-of-values'],
  [['["2026-01-05","2026-01-05T10:00:00Z"]'], 'datetime', 'list-of-values'],
  [['[true]'], 'boolean', 'list-of-values'],
  [['{"value":1}'], 'integer-event', null],
  [['{"value":1}', '[{"value":2.5,"date":"2026-01-01"}]', '[]'], 'decimal-event', null, 6],
  [['[]', '[{"value":"2026-01-01"},{"value":"x"}]'], 'string-event', null],
];

t.test('the type of a new column is inferred from all values of the request', (t) => {
  for (const [values, type, storage, places] of TYPES) {
    const entities = values.map((value, index) => `"u${index}":{"fresh":${value}}`);
    const parsed = accepted(t, `{${entities.join(',')},"auto-create":["column"]}`, empty);
    const cardinality = type === 'string' ? 'high' : null;
    const decimalPlaces = places ?? null;
    const column = {
      id: 1,
      name: 'fresh',
      apiName: 'fresh',
      description: '',
      type,
      storage,
      cardinality,
      decimalPlaces,
    };
    t.same(parsed.createdColumns, [
      {
        dimensionId: 1,
        column: { ...column, range: null, retentionDays: null, textCase: 'fold', active: true },
      },
    ]);
  }
  t.end();
});

t.test(
  'ids are given in document order, across dimensions, at any positions of dimension and auto-create',
  (t) => {
    const body = `{"a":{"zebra":1,"country":"x","ant":2,"dimension":"people"},
    "b":{"ant":"x","dimension":"second"},"c":{"dimension":"first","ant":true},"d":{"dimension":"second","bee":1},
    "auto-create":["column","dimension"]}`;
    const model = sampleModel();
    const { createdColumns, createdDimensions } = accepted(t, body, model);
    const [nextDimension, nextColumn] = [model.nextDimensionId, model.nextColumnId];
    t.same(
      createdDimensions,
      ['second', 'first'].map((name, index) => ({
        id: nextDimension + index,
        name,
        apiName: name,
        modelType: null,
        textCase: 'fold',
      })),
    );
    t.same(
      createdColumns.map(({ dimensionId, column }) => [dimensionId, column.id, column.apiName]),
      [
        [2, nextColumn, 'zebra'],
        [2, nextColumn + 1, 'ant'],
        [nextDimension, nextColumn + 2, 'ant'],
        [nextDimension + 1, nextColumn + 3, 'ant'],
        [nextDimension, nextColumn + 4, 'bee'],
      ],
    );
    t.end();
  },
);

t.test('a deleted default dimension is created again', (t) => {
  const { createdDimensions } = accepted(
    t,
    '{"u":{"x":1},"auto-create":["dimension","column"]}',
    modelOf([]),
  );
  t.same(createdDimensions, [
    { id: 1, name: 'default', apiName: 'default', modelType: null, textCase: 'fold' },
  ]);
  t.end();
});

t.test('auto-create that needs no new column creates nothing', (t) => {
  const parsed = accepted(t, '{"auto-create":["dimension","column"],"u":{"country":"x"}}', sampleModel());
  t.same([parsed.createdColumns, parsed.createdDimensions], [[], []]);
  t.end();
});
