/** The requests of questions about behaviour, and the entities behind their numbers. */
import t from 'tap';
import { behindOf, isPickable } from '../../../src/console/query/behind.js';
import { type Draft, newDraft, type Show } from '../../../src/console/query/draft.js';
import { requestOf } from '../../../src/console/query/request.js';
import { dimensionOf } from '../../../src/console/server/model.js';
import { MODEL } from '../model.js';

const airports = dimensionOf(MODEL, 'airports');
const MARCH = { from: '2001-03-01', to: '2001-03-31' };
const between = ['2001-03-01', '2001-03-31T23:59:59Z'];
const COMMON = { 'query-name': 'answer', dimension: 'airports', between };
const late = { id: 1, column: 'delay', test: { operator: 'gt', values: ['120'] } } as const;
const any = { id: 2, column: 'delay', test: { operator: 'any', values: [] } } as const;

function outcomeOf(show: Show, more: (draft: Draft) => Partial<Draft> = () => ({})) {
  const draft = { ...newDraft(airports), show, window: MARCH };
  return requestOf({ ...draft, ...more(draft) }, airports);
}

function requestsFor(
  show: Show,
  more?: (draft: Draft) => Partial<Draft>,
): readonly (readonly [string, unknown])[] {
  const outcome = outcomeOf(show, more);
  if ('problems' in outcome) return outcome.problems.map(({ text }) => [text, null]);
  return outcome.question.requests.map(({ path, body }) => [path, JSON.parse(body)]);
}

t.test('a funnel has named steps, and only inner steps are optional', async (t) => {
  const steps = [late, any, { ...late, id: 3 }].map((step) => ({ ...step, optional: true }));
  const within = { count: '36', unit: 'hr' } as const;
  t.strictSame(
    requestsFor('funnel', ({ funnel }) => ({
      funnel: { ...funnel, steps, within, order: 'strict', by: 'state' },
    })),
    [
      [
        '/v1/query/funnel',
        {
          ...COMMON,
          steps: [
            { event: { delay: { gt: 120 } }, name: 'delay more than 120' },
            { event: { delay: {} }, name: 'delay', optional: true },
            { event: { delay: { gt: 120 } }, name: 'delay more than 120' },
          ],
          within: '36hr',
          order: 'strict',
          breakdown: { column: 'state', limit: 6 },
          histogram: 20,
        },
      ],
    ],
  );
  t.strictSame(
    requestsFor('funnel', ({ funnel }) => ({
      funnel: { ...funnel, steps: [], within: { ...within, count: 'x' } },
    })),
    [
      ['A funnel has 2 to 64 steps.', null],
      ['Time from the first step to the last: a whole number from 1.', null],
    ],
  );
});

t.test(
  'retention, lifecycle, distributions, flows and timelines have the fields of their endpoints',
  async (t) => {
    t.strictSame(
      requestsFor('retention', ({ retention }) => ({
        retention: { ...retention, back: late, count: 'on-or-after' },
      })),
      [
        [
          '/v1/query/retention',
          {
            ...COMMON,
            start: { event: { delay: {} } },
            return: { event: { delay: { gt: 120 } } },
            ...{ interval: 'weeks', periods: 8, count: 'on-or-after' },
          },
        ],
      ],
    );
    const activity = { ...COMMON, event: { delay: {} }, interval: 'weeks' };
    t.strictSame(requestsFor('lifecycle'), [['/v1/query/lifecycle', activity]]);
    t.strictSame(requestsFor('distribution'), [['/v1/query/stickiness', activity]]);
    const sessions = ({ distribution }: Draft) => ({
      distribution: { ...distribution, of: 'sessions' as const },
    });
    t.strictSame(requestsFor('distribution', sessions), [
      ['/v1/query/sessions', { ...COMMON, stream: ['delay'], gap: '30min', interval: 'weeks' }],
    ]);
    t.strictSame(
      requestsFor('flow', ({ flow }) => ({ flow: { ...flow, direction: 'before' } })),
      [
        [
          '/v1/query/flow',
          { ...COMMON, start: { event: { delay: {} } }, depth: 4, limit: 6, direction: 'before' },
        ],
      ],
    );
    const timeline = { 'query-name': 'answer', dimension: 'airports', 'entity-id': 'jfk', limit: 200 };
    t.strictSame(
      requestsFor('entity', () => ({ entity: ' jfk ' })),
      [['/v1/query/timeline', timeline]],
    );
    t.strictSame(requestsFor('entity'), [['Type the ID of an entity.', null]]);
  },
);

t.test('a trend has a request for each series, and one more in the time before', async (t) => {
  const series = [
    { ...late, of: 'events' },
    { ...any, of: 'entities' },
  ] as const;
  const before = ['2001-01-29', '2001-02-28T23:59:59Z'];
  const events = (window: readonly string[]) => ({
    dimension: 'airports',
    query: [{ delay: 'count-events', gt: 120, interval: 'days', between: window }],
  });
  const entities = (window: readonly string[]) => ({
    ...COMMON,
    between: window,
    event: { delay: {} },
    interval: 'days',
  });
  t.strictSame(
    requestsFor('trend', ({ trend }) => ({ trend: { ...trend, series, compared: true } })),
    [
      ['/v1/query/aggregation', events(between)],
      ['/v1/query/actives', entities(between)],
      ['/v1/query/aggregation', events(before)],
      ['/v1/query/actives', entities(before)],
    ],
  );
  t.strictSame(
    requestsFor('trend', ({ trend }) => ({ trend: { ...trend, series, by: 'state', compared: true } })),
    [
      ['Compare with the time before, or divide by a column.', null],
      ['Only events and their values can be divided by a column.', null],
    ],
  );
});

t.test('the entities behind a number are a condition with the fields of the question', async (t) => {
  const funnel = outcomeOf('funnel');
  if ('problems' in funnel) throw new Error(funnel.problems.map(({ text }) => text).join());
  const step = (name: string, count: number, share: number | null) => ({
    ...{ name, count, conversion: share, 'step-conversion': share },
  });
  const chart = {
    kind: 'funnel',
    steps: [step('a', 8, null), step('b', 2, 0.25), step('c', 4, 0.5)],
    groups: [],
  } as const;
  const [request] = funnel.question.requests;
  const { steps, within } = JSON.parse(request.body);
  const fields = { between, steps, within };
  t.strictSame(behindOf(request, chart, { kind: 'step', step: 0, lost: false }), {
    ...{ title: 'that reached “a”', dimension: 'airports' },
    query: [{ funnel: { ...fields, reached: 1 } }],
  });
  t.strictSame(behindOf(request, chart, { kind: 'step', step: 2, lost: true }), {
    ...{ title: 'that reached “a” but not “c”', dimension: 'airports' },
    // Step 2 may be left out: the conversion of step 3 is that of step 1.
    query: [{ funnel: { ...fields, reached: 1, 'not-reached': 3 } }],
  });
  t.equal(behindOf(request, chart, { kind: 'bar', index: 1 }), null);
  t.ok(isPickable(request.path, chart));
  t.notOk(isPickable(request.path, { kind: 'bars', label: '', bars: [] }), 'the times of a funnel');
});

t.test('what attempts and returns count goes into the question, and wrong numbers are named', async (t) => {
  const steps = [late, any].map((step) => ({ ...step, optional: false }));
  const exclusion = { ...any, id: 1, after: '1', before: '2' };
  const funnelWith = (more: object) =>
    requestsFor('funnel', ({ funnel }) => ({ funnel: { ...funnel, steps, ...more } }));
  t.match(funnelWith({ attempts: 'every', same: ['delay'], exclude: [exclusion] }), [
    [
      '/v1/query/funnel',
      { attempts: 'every', same: ['delay'], exclude: [{ event: { delay: {} }, after: 1, before: 2 }] },
    ],
  ]);
  t.match(funnelWith({ exclude: [{ ...exclusion, after: '2' }] }), [[/^Excluded events lie after/, null]]);
  t.match(funnelWith({ order: 'any', exclude: [exclusion] }), [[/^Events can be excluded only/, null]]);

  const retentionWith = (brackets: string) =>
    requestsFor('retention', ({ retention }) => ({ retention: { ...retention, brackets, rolling: true } }));
  const [[, body]] = retentionWith('1, 3,7');
  t.match(body, { brackets: [1, 3, 7], rolling: true });
  t.notOk('periods' in (body as object));
  for (const wrong of ['3, 1', 'a', '0', '1,,2'])
    t.match(retentionWith(wrong), [[/^Brackets: /, null]], wrong);

  const series = { ...any, of: 'entities' } as const;
  const trendWith = (more: object) =>
    requestsFor('trend', ({ trend }) => ({ trend: { ...trend, series: [series], ...more } }));
  t.match(trendWith({ rolling: '30' }), [['/v1/query/actives', { rolling: 30 }]]);
  t.match(trendWith({ rolling: 'x' }), [[/^Rolling periods/, null]]);
  t.match(trendWith({ formula: 'B' }), [[/^Formula: /, null]]);
});

t.test('days of a time zone are instants, and the cohort behind a number is that of the zone', async (t) => {
  const zoned = requestsFor('retention', () => ({ timeZone: ' Europe/Berlin ' }));
  t.match(zoned, [
    [
      '/v1/query/retention',
      { 'time-zone': 'Europe/Berlin', between: ['2001-02-28T23:00:00Z', '2001-03-31T21:59:59Z'] },
    ],
  ]);
  t.match(
    requestsFor('retention', () => ({ timeZone: 'Europe/Nowhere' })),
    [[/no time zone/, null]],
  );
  const outcome = outcomeOf('retention', () => ({ timeZone: 'Europe/Berlin' }));
  if ('problems' in outcome) throw new Error('a question');
  const cohorts = [
    { between: ['2001-03-05T00:00:00Z', '2001-03-12T00:00:00Z'], size: 1, counts: [1] },
  ] as const;
  const total = { size: 1, counts: [1], ratios: [1] };
  const behind = behindOf(
    outcome.question.requests[0],
    { kind: 'retention', cohorts, total },
    { kind: 'cohort', cohort: 0, period: null },
  );
  t.match(behind?.query, [{ retention: { 'cohort-of': '2001-03-04T23:00:00Z' } }]);
});
