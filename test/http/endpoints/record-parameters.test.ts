import t from 'tap';
import { recordMappingOf } from '../../../src/http/endpoints/record-parameters.js';

t.test('parameters name the fields of records', async (t) => {
  t.strictSame(recordMappingOf('id=%40id', 'json'), {
    format: 'json',
    delimiter: ',',
    dimension: null,
    id: { from: 'field', field: '@id' },
    events: [],
    eventFields: null,
    time: null,
    dedupe: null,
    unknown: 'refuse',
    createsColumns: false,
    createsDimension: false,
  });
  const query =
    'dimension=logs&id=:hash&event=visit:http.path:ended&event=code:status&event-fields=page-view&time=ts&auto-create=column,dimension&delimiter=tab';
  t.strictSame(recordMappingOf(query, 'csv'), {
    format: 'csv',
    delimiter: '\t',
    dimension: 'logs',
    id: { from: 'hash' },
    events: [
      { column: 'visit', field: 'http.path', dateField: 'ended' },
      { column: 'code', field: 'status', dateField: null },
    ],
    eventFields: 'page-view',
    time: 'ts',
    dedupe: null,
    unknown: 'create',
    createsColumns: true,
    createsDimension: true,
  });
  t.match(recordMappingOf('id=:uuid&dedupe=seq', 'json'), { dedupe: 'seq' });
  t.match(recordMappingOf('id=:uuid&dedupe=:body', 'json'), { dedupe: null });
  t.match(recordMappingOf('id=:uuid&unknown=ignore', 'json'), { id: { from: 'uuid' }, unknown: 'ignore' });
});

t.test('wrong parameters are named', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /"id" is missing/],
    ['id=a&id=b', /"id" is given twice/],
    ['id=a&dimensions=x', /"dimensions" is unknown; there are id, dimension, event/],
    ['id=--', /"id" names the field "--"/],
    ['id=a&event=x', /"event" is "x", not COLUMN:FIELD/],
    ['id=a&event=x:y:z:w', /"event" is "x:y:z:w"/],
    ['id=a&event=:y', /"event" is ":y"/],
    ['id=a&dedupe=--', /"dedupe" names the field "--"/],
    ['id=a&event-fields=Page View', /"event-fields" is "Page View", not the api-name/],
    ['id=a&unknown=drop', /"unknown" is "drop", not one of refuse ignore create/],
    ['id=a&auto-create=columns', /"auto-create" is "columns"/],
    ['id=a&delimiter=ab', /"delimiter" is "ab"/],
    [`id=a${'&event=x:y'.repeat(101)}`, /more than 100 times/],
  ];
  for (const [query, message] of cases)
    t.throws(() => recordMappingOf(query, 'json'), { code: 4049, message });
});
