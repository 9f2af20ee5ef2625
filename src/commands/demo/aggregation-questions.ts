/** The aggregations and top values of the tour: levels, filters, metrics, histograms. */
import { FIRST_WEEK, HALF_YEAR, MARCH, QUAKE_WEEK, type Question } from './question.js';

function aggregation(
  name: string,
  text: string,
  dimension: string,
  filter: readonly unknown[],
  ...levels: readonly object[]
): Question {
  const body = { dimension, filter, query: levels, 'bypass-cache': true };
  return { name, text, method: 'POST', path: '/v1/query/aggregation', body };
}

export const AGGREGATION_QUESTIONS: readonly Question[] = [
  aggregation(
    'states-and-cities',
    'Which four states have the most airports, and which three cities in each of them?',
    'airports',
    [],
    { state: 4 },
    { city: 3 },
  ),
  aggregation(
    'late-states',
    'Of the airports that ten flights left more than an hour late in March 2001: in which states are most, where can ' +
      'one fly from most of them, and how late did flights leave these on average?',
    'airports',
    [{ delay: { gt: 60, between: MARCH, minfreq: 10 } }],
    { state: 3 },
    { destination: 3, between: MARCH },
    { delay: 'avg', between: MARCH },
  ),
  aggregation(
    'helping-networks',
    'Which networks other than the national one helped to locate the most earthquakes of magnitude 3 or more?',
    'earthquakes',
    [{ magnitude: { gte: 3 } }],
    { sources: 5, 'not-equals': ['us'] },
  ),
  aggregation(
    'median-depth',
    'How deep was the median earthquake, by the kind of its magnitude?',
    'earthquakes',
    [{ type: { equals: 'earthquake' } }],
    { 'magnitude-type': 4 },
    { depth: 'median' },
  ),
  aggregation(
    'miles-by-day',
    'How many miles did the flights of the first week of January 2001 cover, day by day?',
    'airports',
    [],
    { distance: 'sum', between: FIRST_WEEK, interval: 'days' },
  ),
  aggregation('strongest-by-day', 'How strong was the strongest earthquake of each day?', 'networks', [], {
    strength: 'max',
    between: QUAKE_WEEK,
    interval: 'days',
  }),
  aggregation(
    'flights-by-state-and-month',
    'How many flights left California, Texas and Florida, month by month?',
    'airports',
    [{ state: { in: ['CA', 'TX', 'FL'] } }],
    { state: 3 },
    { distance: 'count-events', between: HALF_YEAR, interval: 'months' },
  ),
  aggregation(
    'late-from-ohare',
    "How many minutes late were all but a twentieth of the flights from O'Hare, in January, February and March 2001?",
    'airports',
    [{ 'entity-id': { equals: 'ORD' } }],
    {
      delay: 'p95',
      between: [
        ['2001-01-01', '2001-02-01'],
        ['2001-02-01', '2001-03-01'],
        ['2001-03-01', '2001-04-01'],
      ],
    },
  ),
  {
    name: 'top-values',
    text: 'Which destinations are served from the most airports, and which cities named ...ville have at least two airports?',
    method: 'POST',
    path: '/v1/query/top_values',
    body: {
      destinations: { dimension: 'airports', destination: 5 },
      villes: { dimension: 'airports', city: 5, 'ends-with': ['ville'], minfreq: 2 },
      'bypass-cache': true,
    },
  },
];
