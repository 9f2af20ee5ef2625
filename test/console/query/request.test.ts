/** The requests made from drafts of the form, and the messages about incomplete drafts. */
import t from 'tap';
import {
  besideOf,
  type Condition,
  type Draft,
  newDraft,
  segmentCondition,
} from '../../../src/console/query/draft.js';
import { ANY } from '../../../src/console/query/fields.js';
import { requestOf } from '../../../src/console/query/request.js';
import { savedForm } from '../../../src/console/query/saved.js';
import { dimensionOf, readModel } from '../../../src/console/server/model.js';
import { MODEL } from '../model.js';

const airports = dimensionOf(MODEL, 'airports');
const draft = (more: Partial<Draft> = {}): Draft => ({ ...newDraft(airports), ...more });
const MARCH = { from: '2001-03-01', to: '2001-03-31' };
const IN_MARCH = ['2001-03-01', '2001-03-31T23:59:59Z'];

const condition = (column: string, more: Partial<Condition> = {}): Condition => ({
  ...{ id: 1, column, test: ANY, from: '', to: '', atLeast: '1', negated: false },
  ...more,
});

function requestFor(value: Draft): { path: string; body: unknown } | readonly string[] {
  const outcome = requestOf(value, airports);
  if ('problems' in outcome) return outcome.problems.map(({ text }) => text);
  const [{ path, body }] = outcome.question.requests;
  return { path, body: JSON.parse(body) };
}

t.test('entities are counted, all of them or those that satisfy conditions', async (t) => {
  t.strictSame(requestFor(draft()), {
    path: '/v1/query/count/entity/total',
    body: { dimensions: ['airports'] },
  });
  const conditions = [
    condition('state', { test: { operator: 'in', values: ['CA, TX,'] } }),
    condition('runways', { test: { operator: 'range', values: ['1', '9007199254740993'] }, negated: true }),
    condition('delay', { test: { operator: 'gt', values: ['120'] }, ...MARCH, atLeast: '3' }),
    condition('delay', { ...MARCH }),
    condition('big', { test: { operator: 'equals', values: ['false'] } }),
    condition('opened', { test: { operator: 'gte', values: ['1999-01-01T10:30'] } }),
    condition('location', { test: { operator: 'near', values: ['-73.9', '40.7', '100'] } }),
  ];
  t.strictSame(requestFor(draft({ conditions, join: 'or' })), {
    path: '/v1/query/count/entity',
    body: {
      'query-name': 'count',
      dimension: 'airports',
      query: [
        { state: { in: ['CA', 'TX'] } },
        'or',
        ['not', { runways: { range: [1, '9007199254740993'] } }],
        'or',
        { delay: { gt: 120, between: IN_MARCH, minfreq: 3 } },
        'or',
        { delay: { between: IN_MARCH, minfreq: 1 } },
        'or',
        { big: { equals: false } },
        'or',
        { opened: { gte: '1999-01-01T10:30:00Z' } },
        'or',
        { location: { geo_radius: { longitude: -73.9, latitude: 40.7, radius: 100, unit: 'km' } } },
      ],
    },
  });
});

t.test('events are counted for each value of an attribute, and over time', async (t) => {
  const late = {
    of: 'events',
    column: 'delay',
    test: { operator: 'gt', values: ['120'] },
  } as const;
  const events = { delay: 'count-events', gt: 120, between: IN_MARCH };
  t.strictSame(requestFor(draft({ show: 'top', by: 'state', measure: late, window: MARCH })), {
    path: '/v1/query/aggregation',
    body: { dimension: 'airports', query: [{ state: 1000 }, events] },
  });
  const conditions = [condition('state', { test: { operator: 'equals', values: ['ca'] } })];
  const trend = { ...draft().trend, series: [{ id: 1, ...late }] };
  t.strictSame(requestFor(draft({ show: 'trend', trend, interval: 'weeks', conditions, window: MARCH })), {
    path: '/v1/query/aggregation',
    body: {
      dimension: 'airports',
      filter: [{ state: { equals: 'ca' } }],
      query: [{ ...events, interval: 'weeks' }],
    },
  });
  t.strictSame(requestFor(draft({ show: 'count', measure: { ...late, of: 'avg', column: 'runways' } })), {
    path: '/v1/query/aggregation',
    body: { dimension: 'airports', query: [{ runways: 'avg' }] },
  });
  t.strictSame(requestFor(draft({ show: 'top', by: 'state', limit: '5' })), {
    path: '/v1/query/aggregation',
    body: { dimension: 'airports', query: [{ state: 5 }] },
  });
});

t.test(
  'rows and places are extracted, with a condition that all entities satisfy if the draft has none',
  async (t) => {
    const query = [{ 'entity-id': { equals: '-' } }, 'or', { 'entity-id': { 'not-equals': '-' } }];
    t.strictSame(requestFor(draft({ show: 'rows', columns: ['city'], limit: '7' })), {
      path: '/v1/data_extraction/result',
      body: { dimension: 'airports', query, columns: ['entity-id', 'city'], limit: 7 },
    });
    t.strictSame(requestFor(draft({ show: 'map' })), {
      path: '/v1/data_extraction/result',
      body: { dimension: 'airports', query, columns: ['entity-id', 'location'], limit: 20_000 },
    });
  },
);

t.test('the messages about an incomplete draft list everything that is missing', async (t) => {
  const conditions = [
    condition('state', { test: { operator: 'equals', values: ['  '] } }),
    condition('runways', { test: { operator: 'gt', values: ['many'] } }),
    condition('delay', { from: '2001-03-02', to: '2001-03-01', atLeast: '0' }),
    condition('gone'),
    condition('location', { test: { operator: 'near', values: ['200', '', '1'] } }),
  ];
  t.strictSame(requestFor(draft({ conditions })), [
    '“state” needs some text.',
    '“runways” needs a number, such as 120, not “many”.',
    '“delay”, at least: a whole number from 1 to 10,000.',
    '“delay”: the first day is after the last day.',
    'Choose a column for each condition.',
    '“location” needs a longitude (-180 to 180), a latitude (-90 to 90) and kilometres above 0.',
  ]);
  t.strictSame(requestFor(draft({ show: 'top', limit: '1001' })), [
    'How many to show: a whole number from 1 to 1000.',
  ]);
  t.strictSame(requestFor(draft({ show: 'trend' })), ['Range of time: choose the first and the last day.']);
  t.strictSame(requestFor(draft({ show: 'rows', columns: [] })), ['Choose at least one column to show.']);
});

t.test(
  'a question is saved in the form of its type, and a question without a type cannot be saved',
  async (t) => {
    const form = (path: string, body: object) => savedForm({ path, body: JSON.stringify(body) });
    const query = [{ state: { equals: 'ca' } }];
    t.strictSame(form('/v1/query/count/entity', { 'query-name': 'x', dimension: 'airports', query }), {
      ...{ type: 'count/entity', dimension: 'airports', query },
    });
    t.strictSame(
      form('/v1/query/aggregation', { dimension: 'airports', filter: query, query: [{ city: 3 }] }),
      {
        ...{ type: 'aggregation', dimension: 'airports', query: { filter: query, query: [{ city: 3 }] } },
      },
    );
    t.strictSame(form('/v1/query/count/entity/total', { dimensions: ['airports'] }), {
      ...{ type: 'count/entity/total', query: ['airports'] },
    });
    t.equal(form('/v1/data_extraction/result', {}), null);
  },
);

t.test('a segment is a condition, and the only one of the question beside the first', async (t) => {
  const segmented = dimensionOf(
    readModel({ a: { active: [], inactive: [] } }, null, { segments: [{ name: 'vips', dimension: 'a' }] }),
    'a',
  );
  const draft = { ...newDraft(segmented), beside: 'vips', conditions: [segmentCondition(1, 'vips')] };
  const bodies = [draft, besideOf(draft), { ...draft, conditions: [segmentCondition(1, 'gone')] }].map(
    (one) => {
      const outcome = requestOf(one, segmented);
      return 'problems' in outcome ? outcome.problems : JSON.parse(outcome.question.requests[0].body).query;
    },
  );
  const query = [{ segment: 'vips' }];
  t.strictSame(bodies, [query, query, [{ text: 'Choose a segment that exists.' }]]);
});
