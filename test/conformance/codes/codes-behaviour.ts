/** Requests that must be refused, by code: questions about behaviour. */
import type { ApiRequest } from '../../support/json-client.js';
import type { Refusal } from './codes-general.js';

const YEAR = ['2020-01-01', '2020-12-31'];
const ITEM = { event: { item: {} } };
const AMOUNT = { event: { amount: { gt: 1 } } };

const questionOf =
  (kind: string, fields: object) =>
  (more: object): ApiRequest => ({
    path: `/v1/query/${kind}`,
    body: { 'query-name': 'q', ...fields, ...more },
  });
const funnel = questionOf('funnel', { steps: [ITEM, AMOUNT, ITEM] });
const retention = questionOf('retention', { start: ITEM, between: YEAR, interval: 'weeks' });
const actives = questionOf('actives', { ...ITEM, between: YEAR, interval: 'days' });
const sequence = questionOf('sequence', { conditions: [ITEM, AMOUNT], pattern: '(?1)(?2)' });
const sessions = questionOf('sessions', { stream: ['item'], gap: '1d' });
const flow = questionOf('flow', { start: ITEM });
const LIST = [{ name: { equals: 'x' } }];
const overlap = questionOf('overlap', {
  segments: [
    { name: 'a', query: LIST },
    { name: 'b', query: LIST },
  ],
});
const compare = questionOf('compare', {
  segments: [
    { name: 'a', query: LIST },
    { name: 'b', query: LIST },
  ],
});
const timeline = questionOf('timeline', { 'entity-id': 'x' });
const pattern = (text: unknown): ApiRequest => sequence({ pattern: text });
const funnelOf = (step: object): ApiRequest => funnel({ steps: [step, ITEM] });

const RANGE = { between: YEAR, interval: 'weeks' };
const ACTIVE = { ...ITEM, between: YEAR, interval: 'days' };
const count = (condition: object): ApiRequest => ({
  path: '/v1/query/count/entity',
  body: { 'query-name': 'q', query: [condition] },
});
const nested = (depth: number): object => ({
  active: { ...ACTIVE, ...(depth === 1 ? {} : { query: [nested(depth - 1)] }) },
});

export const BEHAVIOUR_REFUSALS: readonly Refusal[] = [
  [9104, count({ sequence: { conditions: [ITEM], pattern: '(?2)' } }), 'character 1'],
  [4010, count({ funnel: { steps: [ITEM, ITEM] } }), 'reached'],
  [4010, count({ funnel: { reached: 2 } }), 'steps'],
  [4049, count({ active: { ...ACTIVE, rolling: 2 } }), 'rolling'],
  [9101, count({ funnel: { steps: [ITEM, ITEM], reached: 3 } }), 'reached'],
  [9101, count({ funnel: { steps: [ITEM, ITEM], reached: 1, 'not-reached': 3 } }), 'not-reached'],
  [9101, count({ retention: { start: ITEM, ...RANGE, 'cohort-of': '2020-01-01', period: 8 } }), 'period'],
  [9101, count({ active: { ...ACTIVE, dimension: 'people' } }), 'dimension'],
  [9101, count({ active: { ...ACTIVE, 'at-least': -1 } }), 'at-least'],
  [9106, count(nested(9)), '8'],
  [4003, actives({ between: ['2020-01-01', '-5xyz'] }), '-5xyz'],
  [4008, funnelOf({ event: { nothing: {} } }), 'steps[0].event'],
  [4010, funnel({ interval: 'days' }), 'between'],
  [4010, funnel({ steps: undefined }), 'steps'],
  [4010, funnelOf({ name: 'no event' }), 'event'],
  [4010, actives({ interval: undefined }), 'interval'],
  [4040, funnelOf({ event: { age: {} } }), 'age'],
  [4049, funnel({ colour: 'red' }), 'colour'],
  [4049, funnelOf({ ...ITEM, optionale: true }), 'optionale'],
  [4049, retention({ start: { ...ITEM, optional: true } }), 'optional'],
  [4053, actives({ between: ['2020-02-30', '2020-03-01'] }), '2020-02-30'],
  [9101, funnel({ steps: [ITEM] }), 'steps'],
  [9101, funnel({ steps: 5 }), 'steps'],
  [9101, funnel({ steps: [ITEM, 5] }), 'steps[1]'],
  [9101, funnel({ steps: [ITEM, { event: {} }] }), 'steps[1].event'],
  [9101, funnel({ steps: [ITEM, { event: { item: 5 } }] }), 'steps[1].event.item'],
  [9101, funnel({ steps: [ITEM, { event: { item: { between: YEAR } } }] }), 'between'],
  [9101, funnel({ steps: [{ ...ITEM, optional: true }, ITEM] }), 'steps[0].optional'],
  [9101, funnel({ within: '7 days' }), 'within'],
  [9101, funnel({ within: '0sec' }), 'within'],
  [9101, funnel({ order: 'sorted' }), 'order'],
  [9101, funnel({ histogram: 101 }), 'histogram'],
  [9101, funnel({ exclude: [{ ...ITEM, after: 2, before: 2 }] }), 'exclude[0]'],
  [9101, funnel({ exclude: [{ ...ITEM, after: 1, before: 4 }] }), 'exclude[0]'],
  [9101, funnel({ breakdown: { column: 'item' } }), 'item'],
  [9101, funnel({ breakdown: { column: 'item', step: 4 } }), 'breakdown.step'],
  [9101, funnel({ breakdown: { column: 'name', limit: 101 } }), 'limit'],
  [9101, funnel({ 'time-zone': 'Europe/Atlantis' }), 'Atlantis'],
  [9101, funnel({ 'week-start': 'someday' }), 'week-start'],
  [9101, retention({ brackets: [3, 3] }), 'brackets[1]'],
  [9101, retention({ brackets: [1], periods: 2 }), 'periods'],
  [9101, retention({ periods: 367 }), 'periods'],
  [9101, retention({ rolling: true, interval: 'months' }), 'months'],
  [9101, retention({ breakdown: { column: 'name', step: 1 } }), 'step'],
  [9101, retention({ until: 5 }), 'until'],
  [9101, count({ retention: { start: ITEM, ...RANGE, 'cohort-of': 5 } }), 'cohort-of'],
  [9101, count({ segment: 5 }), 'segment'],
  [9101, funnel({ 'bypass-cache': 'no' }), 'bypass-cache'],
  [9101, actives({ rolling: 1 }), 'rolling'],
  [9101, actives({ interval: 'minutes' }), '10000'],
  [4010, sequence({ pattern: undefined }), 'pattern'],
  [4010, sessions({ gap: undefined }), 'gap'],
  [4010, flow({ start: undefined }), 'start'],
  [4010, overlap({ segments: undefined }), 'segments'],
  [4008, sessions({ stream: ['nothing'] }), 'nothing'],
  [4040, flow({ stream: ['name'] }), 'name'],
  [4049, flow({ steps: [] }), 'steps'],
  [9101, sequence({ conditions: [] }), 'conditions'],
  [9101, sequence({ conditions: [5], pattern: '(?1)' }), 'conditions[0]'],
  [9101, sessions({ gap: '0d' }), 'gap'],
  [9101, sessions({ stream: [] }), 'stream'],
  [9101, sessions({ starts: [AMOUNT] }), 'starts[0].event'],
  [9101, flow({ depth: 11 }), 'depth'],
  [9101, flow({ limit: 51 }), 'limit'],
  [9101, flow({ direction: 'up' }), 'direction'],
  [9101, flow({ start: { event: [{ item: {} }, { amount: {} }] } }), 'start.event'],
  [9101, overlap({ segments: [{ name: 'a', query: LIST }] }), 'segments'],
  [
    9101,
    overlap({
      segments: [
        { name: 'a', query: LIST },
        { name: 'a', query: LIST },
      ],
    }),
    'segments[1].name',
  ],
  [4008, compare({ columns: ['nothing'] }), 'nothing'],
  [9101, compare({ columns: ['entity-id'] }), 'entity-id'],
  [9101, compare({ limit: 101 }), 'limit'],
  [9101, compare({ segments: [{ name: 'a', query: LIST }] }), 'segments'],
  [4010, timeline({ 'entity-id': undefined }), 'entity-id'],
  [4029, timeline({ 'page-token': 'abc' }), 'page-token'],
  [4040, timeline({ columns: ['name'] }), 'name'],
  [9101, timeline({ limit: 0 }), 'limit'],
  [9104, pattern(''), 'character 1'],
  [9104, pattern('.*'), 'character 1'],
  [9104, pattern('(?1)x(?2)'), 'character 5'],
  [9104, pattern('(?1)(?3)'), 'character 5'],
  [9104, pattern('(?0)'), 'character 1'],
  [9104, pattern('(?t<5)(?1)'), 'character 1'],
  [9104, pattern('.*(?t<5)(?1)'), 'character 3'],
  [9104, pattern('(?1)(?t<5)'), 'character 5'],
  [9104, pattern('(?1)(?t<5).*'), 'character 5'],
  [9104, pattern('(?1)(?t=5)(?2)'), 'character 5'],
  [9104, pattern('(?1)(?t<-5)(?2)'), 'character 5'],
  [9104, pattern('(?1)*'), 'character 5'],
  [9102, funnelOf({ event: { item: {}, place: {} } }), 'place'],
  [9102, funnel({ same: ['place'] }), 'step 1'],
  [9102, funnel({ breakdown: { column: 'place', step: 2 } }), 'step 2'],
  [9103, funnel({ order: 'any', exclude: [{ ...ITEM, after: 1, before: 2 }] }), 'exclude'],
  [9103, funnel({ order: 'any', stream: ['item'] }), 'stream'],
  [9103, funnel({ order: 'any', steps: [ITEM, { ...ITEM, optional: true }, ITEM] }), 'steps[1].optional'],
  [9103, funnel({ order: 'any', breakdown: { column: 'item', step: 1 } }), 'breakdown.step'],
];
