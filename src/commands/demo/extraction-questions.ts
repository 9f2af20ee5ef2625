/** The extractions of the tour: ordered rows, a second page, events, nearest rows, and scores. */
import { FIRST_WEEK, type Question } from './question.js';

function extraction(name: string, text: string, dimension: string, rest: object, page = 1): Question {
  const body = { dimension, ...rest, 'bypass-cache': true };
  return { name, text, method: 'POST', path: '/v1/data_extraction/result', body, page };
}

/** Three hours of a night. */
const NEW_YEARS_NIGHT = ['2001-01-01', '+3hr'];

export const EXTRACTION_QUESTIONS: readonly Question[] = [
  extraction('strongest', 'Which were the four strongest earthquakes, and where and when?', 'earthquakes', {
    query: [{ type: { equals: 'earthquake' } }],
    columns: ['entity-id', 'magnitude', 'place', 'time'],
    order: [{ magnitude: 'desc' }, { time: 'asc' }],
    limit: 4,
  }),
  extraction(
    'next-page',
    'Which earthquakes are on the second page of the 1,028 strongest, at 1,024 a page?',
    'earthquakes',
    {
      query: [{ type: { equals: 'earthquake' } }],
      columns: ['entity-id', 'magnitude', 'place'],
      order: [{ magnitude: 'desc' }, { time: 'asc' }, { 'entity-id': 'asc' }],
      limit: 1028,
    },
    2,
  ),
  extraction(
    'new-years-night',
    'From which airports did a flight leave in the first three hours of 2001, where to, and how late?',
    'airports',
    {
      query: [{ distance: { gt: 0, between: NEW_YEARS_NIGHT } }],
      columns: ['entity-id', 'city', { destination: NEW_YEARS_NIGHT }, { delay: NEW_YEARS_NIGHT }],
      order: [{ 'entity-id': 'asc' }],
      limit: 5,
    },
  ),
  extraction(
    'near-golden-gate',
    'Which three airports in California are nearest to the Golden Gate Bridge, and where?',
    'airports',
    {
      query: [
        {
          location: {
            geo_near: { longitude: -122.4783, latitude: 37.8199, limit: 3, show_coordinates: true },
          },
        },
        'and',
        { state: { equals: 'CA' } },
      ],
      columns: ['entity-id', 'name'],
    },
  ),
  {
    name: 'score',
    text:
      'Which airports get the most points: one for Florida, one for "international", one for being within 300 km of Miami, ' +
      'one for ten flights to New York or Chicago in the first week of 2001?',
    method: 'POST',
    path: '/v1/data_extraction/score',
    body: {
      dimension: 'airports',
      query: [
        { state: { equals: 'FL' } },
        'or',
        { name: { contains: 'international' } },
        'or',
        { location: { geo_radius: { longitude: -80.19, latitude: 25.76, radius: 300, unit: 'km' } } },
        'or',
        {
          minfreq: 10,
          freqgroup: ['JFK', 'LGA', 'ORD'].map((code) => ({
            destination: { equals: code, between: FIRST_WEEK },
          })),
        },
      ],
      columns: ['entity-id', 'name', 'city'],
      limit: 6,
      'bypass-cache': true,
    },
  },
];
