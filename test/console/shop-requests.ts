/** Questions about the shop in every form that the console sends and SQL has, for comparing the answers. */
const FIRST_QUARTER = ['2026-01-01', '2026-03-31T23:59:59Z'];
const FEBRUARY = ['2026-02-01', '2026-02-28T23:59:59Z'];
const dimension = 'visitors';
const ordered = { order: { between: FEBRUARY, minfreq: 1 } };
const mobile = { device: { equals: 'phone' } };

export interface ShopRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const counts = [
  [mobile, 'and', ['not', ordered]],
  [{ country: { 'starts-with': 's' } }, 'or', { channel: { contains: 'a' } }],
  [
    { page: { equals: 'home', between: FIRST_QUARTER, minfreq: 3 } },
    'and',
    { paid: { between: FEBRUARY, gt: 100 } },
  ],
  [{ 'entity-id': { 'ends-with': '7' } }, 'and', { channel: { in: ['ads', 'search'] } }],
].map((query): ShopRequest => ({ path: 'count/entity', body: { 'query-name': 'n', dimension, query } }));

const aggregations = [
  { query: [{ channel: 3 }], filter: [mobile] },
  { query: [{ page: 4, between: FEBRUARY }], filter: [{ page: { equals: 'home', between: FIRST_QUARTER } }] },
  { query: [{ paid: 'sum', between: FIRST_QUARTER }] },
  { query: [{ paid: 'p95', gt: 100, between: FIRST_QUARTER }], filter: [mobile, 'or', ordered] },
  { query: [{ channel: 2 }, { paid: 'max', between: FIRST_QUARTER }], filter: [ordered] },
  {
    query: [{ page: 'count-events', equals: 'home', between: FIRST_QUARTER, interval: 'weeks' }],
    filter: [mobile],
  },
  { query: [{ country: 2 }, { page: 'count-events', between: FEBRUARY, interval: 'months' }] },
].map((body): ShopRequest => ({ path: 'aggregation', body: { dimension, ...body } }));

export const SHOP_REQUESTS: readonly ShopRequest[] = [
  { path: 'count/entity/total', body: { dimensions: [dimension] } },
  ...counts,
  ...aggregations,
];
