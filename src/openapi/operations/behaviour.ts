/** Questions about behaviour. */
import type { ErrorCode } from '../../base/index.js';
import {
  activesAnswer,
  activesQueries,
  activities,
  answers,
  compareAnswer,
  compares,
  flowAnswer,
  flows,
  funnelAnswer,
  funnels,
  lifecycleAnswer,
  overlapAnswer,
  overlaps,
  retentionAnswer,
  retentions,
  sequenceAnswer,
  sequences,
  sessionsAnswer,
  sessionsQueries,
  stickinessAnswer,
  timelineAnswer,
  timelines,
} from '../../interface/index.js';
import * as codes from '../codes.js';
import { type Operations, ok } from './operation.js';

const CODES: readonly ErrorCode[] = [...codes.CONDITIONS, ...codes.NAMED, 4004];
const BETWEEN = ['2026-01-05', '2026-01-06'] as const;
const VISIT = { event: { visit: {} } } as const;
const DAYS = [
  ['2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'],
  ['2026-01-06T00:00:00Z', '2026-01-07T00:00:00Z'],
] as const;
const activeDays = { 'query-name': 'visitors', ...VISIT, between: BETWEEN, interval: 'days' } as const;

export const BEHAVIOUR_OPERATIONS: Operations = {
  'POST /v1/query/funnel': {
    tag: 'Behaviour',
    summary: 'How far entities get in a sequence of steps',
    request: funnels,
    example: {
      'query-name': 'sale',
      steps: [
        { event: { visit: { equals: 'pricing' } }, name: 'sees prices' },
        { event: { paid: {} }, name: 'pays' },
      ],
      within: '7d',
    },
    answer: answers.byName(funnelAnswer),
    answered: ok({
      result: {
        sale: {
          steps: [
            { name: 'sees prices', count: 2, conversion: 1, 'step-conversion': null },
            {
              name: 'pays',
              count: 1,
              conversion: 0.5,
              'step-conversion': 0.5,
              seconds: { avg: 3600, median: 3600, p90: 3600 },
            },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/retention': {
    tag: 'Behaviour',
    summary: 'Which entities come back',
    request: retentions,
    example: {
      'query-name': 'back',
      start: VISIT,
      between: BETWEEN,
      interval: 'days',
      periods: 2,
      until: '2026-01-07',
    },
    answer: answers.byName(retentionAnswer),
    answered: ok({
      result: {
        back: {
          cohorts: [
            { between: DAYS[0], size: 2, counts: [1, 1] },
            { between: DAYS[1], size: 1, counts: [0, 0] },
          ],
          total: { size: 3, counts: [1, 1], ratios: [0.3333333333333333, 0.3333333333333333] },
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/lifecycle': {
    tag: 'Behaviour',
    summary: 'New, returning, resurrecting and dormant entities by period',
    request: activities,
    example: activeDays,
    answer: answers.byName(lifecycleAnswer),
    answered: ok({
      result: {
        visitors: {
          series: [
            { between: DAYS[0], new: 2, returning: 0, resurrecting: 0, dormant: 0 },
            { between: DAYS[1], new: 0, returning: 1, resurrecting: 0, dormant: 1 },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/stickiness': {
    tag: 'Behaviour',
    summary: 'How many entities are active in how many periods',
    request: activities,
    example: activeDays,
    answer: answers.byName(stickinessAnswer),
    answered: ok({
      result: {
        visitors: {
          periods: 2,
          counts: [
            { active: 1, count: 1 },
            { active: 2, count: 1 },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/actives': {
    tag: 'Behaviour',
    summary: 'Active entities by period',
    request: activesQueries,
    example: { ...activeDays, rolling: 7 },
    answer: answers.byName(activesAnswer),
    answered: ok({
      result: {
        visitors: {
          series: [
            { between: DAYS[0], count: 2, rolling: 2 },
            { between: DAYS[1], count: 1, rolling: 2 },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/sequence': {
    tag: 'Behaviour',
    summary: 'Entities whose events match a pattern',
    request: sequences,
    example: {
      'query-name': 'sale',
      conditions: [{ event: { visit: { equals: 'pricing' } } }, { event: { paid: {} } }],
      pattern: '(?1)(?t<=86400)(?2)',
    },
    answer: answers.byName(sequenceAnswer),
    answered: ok({ result: { sale: { entities: 1, matches: 1 } } }),
    codes: CODES,
  },
  'POST /v1/query/sessions': {
    tag: 'Behaviour',
    summary: 'Runs of events without a long gap',
    request: sessionsQueries,
    example: { 'query-name': 'visits', stream: ['visit'], gap: '30min' },
    answer: answers.byName(sessionsAnswer),
    answered: ok({
      result: {
        visits: {
          sessions: 3,
          entities: 2,
          'single-event': 1,
          seconds: { avg: 400, median: 300, p90: 900 },
          events: { avg: 2.3333333333333335, median: 2, p90: 4 },
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/flow': {
    tag: 'Behaviour',
    summary: 'What follows or precedes an event',
    request: flows,
    example: {
      'query-name': 'onwards',
      start: { event: { visit: { equals: 'pricing' } } },
      depth: 2,
      limit: 1,
    },
    answer: answers.byName(flowAnswer),
    answered: ok({
      result: {
        onwards: {
          levels: [
            { nodes: [{ column: 'visit', value: 'pricing', count: 4 }], ended: 1 },
            {
              nodes: [
                { column: 'visit', value: 'docs', count: 2 },
                { others: true, count: 1 },
              ],
              ended: 3,
            },
          ],
          links: [
            { level: 1, from: 0, to: 0, count: 2, 'median-seconds': 40 },
            { level: 1, from: 0, to: 1, count: 1, 'median-seconds': 15 },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/overlap': {
    tag: 'Behaviour',
    summary: 'The entities that segments have in common',
    request: overlaps,
    example: {
      'query-name': 'both',
      segments: [
        { name: 'visitors', query: [{ visit: { minfreq: 1, between: BETWEEN } }] },
        { name: 'buyers', query: [{ paid: { minfreq: 1, between: BETWEEN } }] },
      ],
    },
    answer: answers.byName(overlapAnswer),
    answered: ok({
      result: {
        both: {
          segments: [
            { name: 'visitors', count: 5 },
            { name: 'buyers', count: 2 },
          ],
          combinations: [
            { in: ['visitors'], count: 3 },
            { in: ['visitors', 'buyers'], count: 2 },
          ],
        },
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/compare': {
    tag: 'Behaviour',
    summary: 'The values by which two segments differ most',
    request: compares,
    example: {
      'query-name': 'buyers',
      segments: [
        { name: 'buyers', query: [{ paid: { minfreq: 1, between: BETWEEN } }] },
        { name: 'others', query: ['not', { paid: { minfreq: 1, between: BETWEEN } }] },
      ],
      limit: 1,
    },
    answer: answers.byName(compareAnswer),
    answered: ok({
      result: {
        buyers: [
          {
            column: 'visit',
            value: 'pricing',
            counts: [30, 10],
            shares: [0.75, 0.25],
            lift: 3,
            'p-value': 0.00015488,
          },
        ],
      },
    }),
    codes: CODES,
  },
  'POST /v1/query/timeline': {
    tag: 'Behaviour',
    summary: 'The events of one entity, newest first',
    request: timelines,
    example: { 'query-name': 'ada', 'entity-id': 'ada', limit: 2 },
    answer: answers.byName(timelineAnswer),
    answered: ok({
      result: {
        ada: {
          data: [
            { date: '2026-01-06T10:00:00Z', column: 'visit', value: 'pricing' },
            {
              date: '2026-01-05T09:00:00Z',
              relation: 'orders',
              values: { item: 'book', price: '12.50' },
            },
          ],
        },
      },
    }),
    codes: [...CODES, 4029],
  },
};
