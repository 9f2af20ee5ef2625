import { createHash } from 'node:crypto';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  createIngestScratch,
  type ParsedInsert,
  type ParseOutcome,
  parseLines,
  parseRecords,
  QUOTED_BREAK,
  type RecordMapping,
} from '../../../src/ingest/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { wasmBytes } from '../../kernels/twin-arena.js';
import { column, dimension, modelOf, NOW_MS, relation } from '../../support/ingest/ingest-bodies.js';
import { unlikeInserts } from '../plain-bodies.js';

const EVENTS = [
  column(7, 'visit', 'string-event', { storage: null }),
  column(8, 'code', 'integer-event', { storage: null }),
];
const MODEL = modelOf([
  dimension(
    1,
    'default',
    [
      column(1, 'name', 'string'),
      column(2, 'status', 'integer'),
      column(3, 'share', 'decimal', { decimalPlaces: 2 }),
      column(4, 'is-new', 'boolean'),
      column(5, 'seen', 'datetime'),
      column(6, 'tags', 'string', { storage: 'list-of-values' }),
      ...EVENTS,
    ],
    [relation(1, 'request', EVENTS, ['visit', 'code'])],
  ),
  dimension(2, 'people', [column(11, 'name', 'string')]),
]);
const CONTEXT = { model: MODEL, shardCount: 2, nowMs: NOW_MS, customKey: false, columnIds: null };
const MAPPING: RecordMapping = {
  format: 'json',
  delimiter: ',',
  dimension: null,
  id: { from: 'field', field: 'id' },
  events: [],
  eventFields: null,
  time: null,
  unknown: 'refuse',
  createsColumns: false,
  createsDimension: false,
};
const VISITS: Partial<RecordMapping> = {
  events: [
    { column: 'visit', field: 'http.path', dateField: null },
    { column: 'code', field: 'http.status', dateField: 'ended' },
  ],
  time: '@timestamp',
};

const scratch = createIngestScratch(compileKernels(wasmBytes()));
const reference = createIngestScratch(null);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Request bodies are in shared memory. */
function sharedBytes(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

function parsed(text: string, mapping: Partial<RecordMapping> = {}, context = CONTEXT): ParseOutcome {
  const head = mapping.format === 'csv' ? 1 : 0;
  return parseRecords(
    sharedBytes(bytesOf(text)),
    { head, first: head + 1 },
    { ...MAPPING, ...mapping },
    context,
    scratch,
  );
}

/** The difference to the outcome of lines that are entities; null = none. */
function unlike(got: ParseOutcome, entities: readonly string[], head = ''): string | null {
  const context = { ...CONTEXT, repeatsIds: true };
  const text = bytesOf(`${head}${entities.join('\n')}`);
  const wanted = parseLines(text, { head: head === '' ? 0 : 1, first: 2 }, context, reference);
  if ('error' in got || 'error' in wanted) return JSON.stringify([got, wanted]);
  const created = (one: ParsedInsert): string =>
    JSON.stringify([
      one.createdDimensions.map(({ apiName }) => apiName),
      one.createdColumns.map(({ dimensionId, column: { apiName, type } }) => [dimensionId, apiName, type]),
    ]);
  if (created(got.parsed) !== created(wanted.parsed))
    return `${created(got.parsed)} ${created(wanted.parsed)}`;
  return unlikeInserts(got.parsed, wanted.parsed);
}

t.test('records become entities', async (t) => {
  const cases: readonly (readonly [string, string, Partial<RecordMapping>, readonly string[]])[] = [
    [
      'values take the form of their column',
      '{"id":7,"Name":12.50,"status":"200","share":"1.5","is_new":"true","seen":1767608430123,"tags":"a"}\n\n{"name":"x\\"y","id":"b","status":3,"seen":"2026-01-05T10:20:30.5+01:00","tags":["a","b"]}',
      {},
      [
        '{"id":"7","name":"12.50","status":200,"share":1.5,"is-new":true,"seen":"2026-01-05T10:20:30Z","tags":["a"]}',
        '{"id":"b","name":"x\\"y","status":3,"seen":"2026-01-05T09:20:30Z","tags":["a","b"]}',
      ],
    ],
    [
      'null and empty strings are no values',
      '{"id":"a","name":null,"status":"","share":1}',
      {},
      ['{"id":"a","share":1}'],
    ],
    [
      'records of one entity stay apart, and their events belong together',
      '{"id":"a","@timestamp":"2026-01-05T10:00:00Z","ended":1767607201,"http":{"path":"/x","status":200},"name":"1"}\n{"id":"a","@timestamp":"2026-01-05T11:00:00Z","http":{"path":"/y"},"name":"2"}',
      VISITS,
      [
        '{"id":"a","visit":[{"value":"/x","date":"2026-01-05T10:00:00Z"}],"code":[{"value":200,"date":"2026-01-05T10:00:01Z"}],"name":"1"}',
        '{"id":"a","visit":[{"value":"/y","date":"2026-01-05T11:00:00Z"}],"name":"2"}',
      ],
    ],
    [
      'events without a date have the time of the request',
      '{"id":"a","p":"x"}',
      { events: [{ column: 'visit', field: 'p', dateField: null }] },
      ['{"id":"a","visit":[{"value":"x"}]}'],
    ],
    [
      'unknown fields are ignored',
      '{"id":"a","status":1,"host":"h","dimension":"people"}',
      { unknown: 'ignore' },
      ['{"id":"a","status":1}'],
    ],
    [
      'another dimension',
      '{"id":"a","name":"n"}',
      { dimension: 'people' },
      ['{"id":"a","dimension":"people","name":"n"}'],
    ],
  ];
  for (const [what, text, mapping, entities] of cases)
    t.equal(unlike(parsed(text, mapping), entities), null, what);
});

t.test('columns and dimensions are created', async (t) => {
  const create = { unknown: 'create', createsColumns: true } as const;
  const head = '{"auto-create":["column"]}\n';
  const mixed = '{"id":"a","port":1,"who":"x","ok":true}\n{"id":"b","port":"2","who":3,"ok":false}';
  t.equal(
    unlike(
      parsed(mixed, create),
      ['{"id":"a","port":"1","who":"x","ok":true}', '{"id":"b","port":"2","who":"3","ok":false}'],
      head,
    ),
    null,
    'values of several kinds are text',
  );
  const csv = 'id,port,zip,ok\na,1,01234,true\nb,2.5,99999,false';
  t.equal(
    unlike(
      parsed(csv, { ...create, format: 'csv' }),
      ['{"id":"a","port":1,"zip":"01234","ok":true}', '{"id":"b","port":2.5,"zip":"99999","ok":false}'],
      head,
    ),
    null,
    'values of CSV are numbers or booleans if all of a column are',
  );
  t.equal(
    unlike(
      parsed('{"id":"a","x":1}', { ...create, createsDimension: true, dimension: 'logs' }),
      ['{"id":"a","dimension":"logs","x":1}'],
      '{"auto-create":["column","dimension"]}\n',
    ),
    null,
  );
  const refused = parsed('{"id":"a","x":1}', create, { ...CONTEXT, customKey: true });
  t.equal('error' in refused && refused.error.code, 505);
});

t.test('the ID can be random or the hash of the record', async (t) => {
  const idsOf = (outcome: ParseOutcome): number => ('parsed' in outcome ? outcome.parsed.entityCount : -1);
  const text = '{"status":1}\n{"status":2}\n{"status":1}';
  t.equal(idsOf(parsed(text, { id: { from: 'uuid' } })), 3);
  const hashed = (): ParseOutcome => parsed(text, { id: { from: 'hash' } });
  const [one, other] = [hashed(), parsed('{"status":1}', { id: { from: 'hash' } })];
  t.equal(idsOf(one), 3);
  t.equal(idsOf(other), 1);
  const digest = createHash('sha256').update('{"status":1}').digest('hex').slice(0, 32);
  t.equal(unlike(other, [`{"id":"${digest}","status":1}`]), null);
});

t.test('the first line that is wrong refuses the part', async (t) => {
  const cases: readonly (readonly [string, Partial<RecordMapping>, number, number])[] = [
    ['{"id":"a","status":1}\n{"status":2}', {}, 2003, 2],
    ['{"id":"a","status":1}\n\n{"id":"","status":2}', {}, 2003, 3],
    ['{"id":["a"],"status":1}', {}, 2007, 1],
    ['{"id":"a","status":"x"}\n{"id":"b","host":2}', {}, 2007, 1],
    ['{"id":"a","host":2}\n{"id":"a","status":"x"}', {}, 2011, 1],
    ['{"id":"a","status":1,"Status":2}', {}, 2007, 1],
    ['{"id":"a","status":1,"日":2}', {}, 2007, 1],
    ['{"id":"a","status":1', {}, 1503, 1],
    ['[1]', {}, 2005, 1],
    ['{"id":"a","visit":"x"}', {}, 2007, 1],
    ['{"id":"a","dimension":"x"}', { unknown: 'create' }, 2011, 1],
    ['{"id":"a","http":{"path":"x"}}', VISITS, 2010, 1],
    ['{"id":"a","http":{"path":"x"},"@timestamp":"yesterday"}', VISITS, 2010, 1],
    ['{"id":"a","http":{"path":"x"},"@timestamp":"2100-01-01T00:00:00Z"}', VISITS, 2006, 1],
    ['{"id":"a"}', {}, 2017, 1],
    ['id,status\na,1\nb', { format: 'csv' }, 2007, 3],
    ['id,status\na,"1"x', { format: 'csv' }, 1503, 2],
  ];
  for (const [text, mapping, code, line] of cases) {
    const outcome = parsed(text, mapping);
    t.match(
      'error' in outcome ? outcome.error : {},
      { code, message: new RegExp(`^line ${line}: `), moreInfo: { line } },
      text,
    );
  }
});

t.test('rows give the same entities as JSON and as CSV', async (t) => {
  const seed = 60_221;
  const random = new Prng(seed);
  const texts = [
    'plain',
    'a "quoted" one',
    'comma, semicolon; tab\tend',
    'two\nlines',
    'ümläut 😀',
    ' space ',
    '"',
  ];
  for (let round = 0; round < 300; round++) {
    const delimiter = random.pick([',', ';', '\t', '|']);
    const rows = Array.from({ length: random.between(1, 20) }, (_, index) => ({
      id: `u${random.between(0, 5)}`,
      name: `${random.pick(texts)}${index}`,
      status: random.chance(0.2) ? '' : String(random.between(-5, 5)),
    }));
    const field = (text: string): string =>
      /["\n,;|\t]/.test(text) || random.chance(0.3) ? `"${text.replaceAll('"', '""')}"` : text;
    const csv = ['Name', 'id', 'STATUS']
      .join(delimiter)
      .concat(
        '\r\n',
        rows.map(({ id, name, status }) => [name, id, status].map(field).join(delimiter)).join('\r\n'),
      );
    // What the transport makes of line breaks inside quotes.
    const bytes = bytesOf(csv);
    for (let at = 0; at < bytes.length; at++)
      if (bytes[at] === 0x0a && bytes[at - 1] !== 0x0d) bytes[at] = QUOTED_BREAK;
    const mapping: RecordMapping = { ...MAPPING, format: 'csv', delimiter };
    const got = parseRecords(sharedBytes(bytes), { head: 1, first: 2 }, mapping, CONTEXT, scratch);
    const entities = rows.map(({ id, name, status }) =>
      JSON.stringify({ id, name, ...(status === '' ? {} : { status: Number(status) }) }),
    );
    const difference = unlike(got, entities);
    if (difference !== null) return t.fail(`seed ${seed}, round ${round}: ${difference}`, { csv });
  }
  t.pass();
});

t.test('fields of an event are events of one relation, each in a column of its own', async (t) => {
  const mapping: Partial<RecordMapping> = {
    ...{ eventFields: 'event', time: 'at', unknown: 'create', createsColumns: true },
  };
  const records = [
    '{"id":"a","at":"2026-01-05T10:00:00Z","event":{"plan":"pro","paid":12.5,"first":true,"tags":["x",1],"none":null}}',
    '{"id":"a","at":"2026-01-05T11:00:00Z","event":"signed up","city":"Bonn"}',
    '{"id":"b","at":"2026-01-05T12:00:00Z","event-plan":"free","eventful":3}',
  ];
  const outcome = parsed(records.join('\n'), mapping);
  const event = (name: string, value: string, hour: number): string =>
    `"${name}":[{"value":${value},"date":"2026-01-05T${hour}:00:00Z"}]`;
  const wanted = [
    `{"id":"a",${event('event-plan', '"pro"', 10)},${event('event-paid', '12.5', 10)},${event('event-first', '"true"', 10)},${event('event-tags', '"[\\"x\\",1]"', 10)}}`,
    `{"id":"a",${event('event', '"signed up"', 11)},"city":"Bonn"}`,
    `{"id":"b",${event('event-plan', '"free"', 12)},"eventful":3}`,
  ];
  if ('error' in outcome) throw new Error(outcome.error.message);
  const { createdColumns, createdRelations } = outcome.parsed;
  const ids = new Map(createdColumns.map(({ column: { apiName, id } }) => [apiName, id]));
  const names = ['event-plan', 'event-paid', 'event-first', 'event-tags', 'event'];
  t.strictSame(createdRelations, [
    {
      dimensionId: 1,
      relation: {
        id: Math.max(...ids.values()) + 1,
        name: 'events',
        columnIds: names.map((name) => ids.get(name)),
      },
    },
  ]);
  const related = new Map(createdColumns.map(({ column: created }) => [created.apiName, created] as const));
  t.equal(related.get('event-first')?.type, 'string-event');
  t.equal(related.get('event-paid')?.type, 'decimal-event');
  t.equal(related.get('eventful')?.type, 'integer');
  // The same entities, in a model that has the columns and the relation.
  const before = MODEL.dimensions.get('default');
  const columns = Array.from(before?.columns.values() ?? []).filter(({ id }) => id > 0);
  const own = modelOf([
    dimension(
      1,
      'default',
      [...columns, ...createdColumns.map(({ column: created }) => created)],
      [...(before?.relations.values() ?? []), createdRelations[0].relation],
    ),
  ]);
  const context = { ...CONTEXT, model: own, repeatsIds: true };
  const reread = parseLines(bytesOf(wanted.join('\n')), { head: 0, first: 1 }, context, reference);
  if ('error' in reread) throw new Error(reread.error.message);
  t.equal(unlikeInserts(outcome.parsed, { ...reread.parsed, createdColumns }), null);
  const later = parsed('{"id":"c","at":"2026-01-05T10:00:00Z","event":{"new":1}}', mapping, context);
  if ('error' in later) throw new Error(later.error.message);
  t.strictSame(
    later.parsed.createdRelations[0].relation.columnIds.slice(0, 5),
    createdRelations[0].relation.columnIds,
  );
  t.equal(later.parsed.createdRelations[0].relation.id, createdRelations[0].relation.id);
});

t.test('fields of an event are refused or ignored like others if nothing is created', async (t) => {
  const record = '{"id":"a","at":"2026-01-05T10:00:00Z","event":"x","name":"n"}';
  const mapping = { eventFields: 'event', time: 'at' };
  t.match(parsed(record, mapping), { error: { code: 2011, message: /no column "event"/ } });
  t.equal(unlike(parsed(record, { ...mapping, unknown: 'ignore' }), ['{"id":"a","name":"n"}']), null);
});
