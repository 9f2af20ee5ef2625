/** The event counts of the tour: in total, by interval, and from a saved query. */
import { FIRST_WEEK, HALF_YEAR, MARCH, namedQuery, QUAKE_WEEK, type Question } from './question.js';

function events(
  name: string,
  text: string,
  dimension: string,
  condition: object,
  interval?: 'days' | 'months',
): Question {
  const query = namedQuery(name, dimension, [condition]);
  const body = [interval === undefined ? query : { ...query, interval }];
  return { name, text, method: 'POST', path: '/v1/query/count/event', body };
}

export const EVENT_QUESTIONS: readonly Question[] = [
  events('flights-to-jfk', 'How many flights left for JFK in the first week of January 2001?', 'airports', {
    destination: { equals: 'JFK', between: FIRST_WEEK },
  }),
  events('an-hour-or-two-late', 'How many left one to two hours late in March 2001?', 'airports', {
    delay: { range: [60, 120], between: MARCH },
  }),
  events(
    'shocks-off-hualien',
    'How many earthquakes were there within 50 km of Hualien, Taiwan, in that week of 2018?',
    'networks',
    {
      epicentre: {
        geo_radius: { longitude: 121.6, latitude: 23.98, radius: 50, unit: 'km' },
        between: QUAKE_WEEK,
      },
    },
  ),
  events(
    'three-hours-late-by-month',
    'How many flights left more than three hours late, month by month?',
    'airports',
    { delay: { gt: 180, between: HALF_YEAR } },
    'months',
  ),
  events(
    'shocks-by-day',
    'How many earthquakes of magnitude 2.5 or more were there each day?',
    'networks',
    { strength: { gte: 2.5, between: QUAKE_WEEK } },
    'days',
  ),
  {
    name: 'saved-query',
    text: 'As a saved query: how many flights left more than five hours late in March 2001?',
    method: 'GET',
    path: '/v1/query/saved/five-hours-late',
    body: null,
    before: {
      method: 'POST',
      path: '/v1/query/saved',
      body: {
        name: 'five-hours-late',
        type: 'count/event',
        dimension: 'airports',
        query: [{ delay: { gt: 300, between: MARCH } }],
        'cache-period': 60,
      },
    },
  },
];
