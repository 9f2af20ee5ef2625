/** The entity queries of the tour: total counts, existence, counts with conditions. */
import { formatCount } from '../progress.js';
import {
  FEBRUARY,
  FIRST_WEEK,
  HALF_YEAR,
  MARCH,
  namedQuery,
  type QueryList,
  type Question,
  type TourScale,
} from './question.js';

const count = (dimension: string, name: string, text: string, conditions: QueryList): Question => ({
  name,
  text,
  method: 'POST',
  path: '/v1/query/count/entity',
  body: [namedQuery(name, dimension, conditions)],
});

const airports = (name: string, text: string, ...conditions: QueryList) =>
  count('airports', name, text, conditions);
const earthquakes = (name: string, text: string, ...conditions: QueryList) =>
  count('earthquakes', name, text, conditions);

const MONTHS = [
  ['january', '2001-01-01', '2001-01-31T23:59:59Z'],
  ['february', ...FEBRUARY],
  ['march', ...MARCH],
  ['april', '2001-04-01', '2001-04-30T23:59:59Z'],
  ['may', '2001-05-01', '2001-05-31T23:59:59Z'],
  ['june', '2001-06-01', '2001-06-30T23:59:59Z'],
] as const;

export const countQuestions = (scale: TourScale): readonly Question[] => [
  {
    name: 'all-entities',
    text: 'How many entities does the database hold in all?',
    method: 'GET',
    path: '/v1/query/count/entity/total',
    body: null,
  },
  {
    name: 'all-earthquakes',
    text: 'How many of them are earthquakes?',
    method: 'POST',
    path: '/v1/query/count/entity/total',
    body: { dimensions: ['earthquakes'] },
  },
  {
    name: 'known-codes',
    text: 'Which of the codes JFK, ORD, XXX and YAK belong to an airport?',
    method: 'POST',
    path: '/v1/query/exists/entity',
    body: { dimension: 'airports', ids: ['JFK', 'ORD', 'XXX', 'YAK'] },
  },
  airports('in-california', 'How many airports are in California?', { state: { equals: 'CA' } }),
  airports(
    'international-elsewhere',
    'How many are called "international" and are in a state other than Texas, California and Florida?',
    { name: { contains: 'international' } },
    'and',
    ['not', { state: { in: ['TX', 'CA', 'FL'] } }],
  ),
  airports('near-times-square', 'How many are within 100 km of Times Square?', {
    location: { geo_radius: { longitude: -73.9855, latitude: 40.758, radius: 100, unit: 'km' } },
  }),
  airports(
    'departures-in-march',
    `From how many airports did at least ${formatCount(scale.busyFlights)} flights leave in March 2001?`,
    { distance: { gt: 0, between: MARCH, minfreq: scale.busyFlights } },
  ),
  airports(
    'very-late-in-march',
    `From how many did at least ${scale.lateFlights} flights leave more than two hours late in March 2001?`,
    { delay: { gt: 120, between: MARCH, minfreq: scale.lateFlights } },
  ),
  airports(
    'california-to-jfk',
    'From how many airports in California did a flight leave for JFK in the first week of January 2001?',
    { state: { equals: 'CA' } },
    'and',
    { destination: { equals: 'JFK', between: FIRST_WEEK } },
  ),
  airports(
    'new-york-freqgroup',
    `From how many did at least ${scale.newYorkFlights} flights leave for JFK, LaGuardia and Newark together in February 2001?`,
    {
      minfreq: scale.newYorkFlights,
      freqgroup: ['JFK', 'LGA', 'EWR'].map((code) => ({ destination: { equals: code, between: FEBRUARY } })),
    },
  ),
  airports(
    'busy-and-punctual',
    `From how many did at least ${scale.punctualFlights} flights leave in ${scale.monthCount} months, none of them three hours late?`,
    { distance: { gt: 0, between: HALF_YEAR, minfreq: scale.punctualFlights } },
    'and',
    ['not', { delay: { gte: 180, between: HALF_YEAR } }],
  ),
  airports(
    'only-long-haul',
    'From how many did flights leave for destinations over 2,000 miles away, but none for one within 200 miles?',
    { distance: { gte: 2000, between: HALF_YEAR } },
    'and',
    ['not', { distance: { lt: 200, between: HALF_YEAR } }],
  ),
  airports(
    'nested',
    `How many are in Nevada or Arizona with ${scale.weeklyFlights} flights to Los Angeles in a week, or in Hawaii with ${scale.weeklyFlights} to San Francisco?`,
    [
      [{ state: { equals: 'NV' } }, 'or', { state: { equals: 'AZ' } }],
      'and',
      { destination: { equals: 'LAX', between: FIRST_WEEK, minfreq: scale.weeklyFlights } },
    ],
    'or',
    [
      { state: { equals: 'HI' } },
      'and',
      { destination: { equals: 'SFO', between: FIRST_WEEK, minfreq: scale.weeklyFlights } },
    ],
  ),
  airports(
    'last-two-days',
    `From how many did a flight leave over ${scale.lastDaysHours} hours late in the last two days of ${scale.lastMonth} 2001?`,
    { delay: { gt: scale.lastDaysHours * 60, between: [scale.lastMonthEnd, '-2d'] } },
  ),
  airports('today', 'From how many did a flight leave today?', { distance: { gt: 0, between: ['today'] } }),
  {
    name: 'month-by-month',
    text: `Month by month, in one request: from how many did a flight leave more than ${scale.monthHours} hours late?`,
    method: 'POST',
    path: '/v1/query/count/entity',
    body: MONTHS.slice(0, scale.monthCount).map(([month, from, to]) =>
      namedQuery(month, 'airports', [{ delay: { gt: scale.monthHours * 60, between: [from, to] } }]),
    ),
  },
  earthquakes('magnitude-5', 'How many earthquakes had a magnitude of 5 or more?', { magnitude: { gte: 5 } }),
  earthquakes(
    'reviewed-in-february',
    'How many of magnitude 2.5 to 4.5 on 1 to 3 February 2018 has a seismologist reviewed?',
    { status: { equals: 'reviewed' } },
    'and',
    { magnitude: { gte: 2.5, lte: 4.5 } },
    'and',
    { time: { gte: '2018-02-01T00:00:00Z', lt: '2018-02-04T00:00:00Z' } },
  ),
  earthquakes('aleutians', 'How many happened near the Aleutians, in a box across the 180th meridian?', {
    location: {
      geo_bounding_box: {
        'lower-left': { longitude: 165, latitude: 48 },
        'upper-right': { longitude: -155, latitude: 60 },
      },
    },
  }),
  earthquakes(
    'man-made-in-california',
    'How many events in California were explosions or quarry blasts?',
    { type: { 'not-equals': 'earthquake' } },
    'and',
    [{ place: { 'ends-with': ', California' } }, 'or', { place: { 'ends-with': ', CA' } }],
  ),
  earthquakes(
    'two-networks',
    'How many did both the Alaskan and the national network report?',
    { sources: { equals: 'ak' } },
    'and',
    { sources: { equals: 'us' } },
  ),
  earthquakes(
    'felt-or-tsunami',
    'How many were felt by 10 people or more, or raised a tsunami warning, and happened less than 10 km deep?',
    [{ felt: { gte: 10 } }, 'or', { tsunami: { equals: true } }],
    'and',
    { depth: { lt: 10 } },
  ),
];
