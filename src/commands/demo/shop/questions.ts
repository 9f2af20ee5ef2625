/** Six questions about the shop, which the demo saves, so that the console and every client can ask them by name. */
import type { RemoteClient } from '../../remote/client.js';

export interface ShopQuestion {
  /** The name of the saved query. */
  readonly name: string;
  readonly text: string;
  readonly type: string;
  readonly query: object | readonly object[];
  /** Short lines of an answer: `answer` is the member `query` of the result. */
  readonly lines: (answer: never) => string[];
}

const dimension = 'visitors';
const WHOLE = ['2026-01-01', '2026-03-31T23:59:59Z'] as const;
const EVERY_PAGE = { page: {} };
const page = (value: string): object => ({ event: { page: { equals: value } } });

const percent = (ratio: number | null): string => (ratio === null ? 'none' : `${(ratio * 100).toFixed(1)} %`);
const count = (value: number): string => value.toLocaleString('en-US');
const day = (between: readonly string[]): string => between[0].slice(0, 10);

interface Steps {
  readonly steps: readonly { readonly name: string; readonly count: number; readonly conversion: number }[];
}
interface Totals {
  readonly total: { readonly ratios: readonly (number | null)[] };
}
interface Lifecycle {
  readonly series: readonly (Record<'new' | 'returning' | 'resurrecting' | 'dormant', number> & {
    readonly between: readonly string[];
  })[];
}
interface Levels {
  readonly levels: readonly {
    readonly nodes: readonly { readonly value?: string; readonly count: number }[];
  }[];
}
interface Sessions {
  readonly sessions: number;
  readonly seconds: { readonly median: number };
  readonly events: { readonly avg: number };
}
type Revenue = {
  readonly result: {
    readonly paid: readonly { readonly between: readonly string[]; readonly sum: number }[];
  };
};

export const FUNNEL_QUESTION: ShopQuestion = {
  name: 'shop-funnel',
  text: 'How many visitors get from the home page to a product, a cart and an order within a day, by channel?',
  type: 'funnel',
  query: {
    dimension,
    steps: [
      { ...page('home'), name: 'home' },
      { ...page('product'), name: 'product' },
      { event: { cart: {} }, name: 'cart' },
      { event: { order: {} }, name: 'order' },
    ],
    within: '1d',
    between: WHOLE,
    breakdown: { column: 'channel', limit: 5 },
    histogram: 20,
  },
  lines: ({ steps }: Steps) => [
    steps.map((step) => `${step.name} ${count(step.count)} (${percent(step.conversion)})`).join(' | '),
  ],
};

export const RETENTION_QUESTION: ShopQuestion = {
  name: 'shop-retention',
  text: 'Which share of the new visitors of a week comes back in each of the weeks after?',
  type: 'retention',
  query: {
    dimension,
    start: { event: EVERY_PAGE },
    interval: 'weeks',
    periods: 8,
    between: WHOLE,
    until: WHOLE[1],
  },
  lines: ({ total }: Totals) => [
    total.ratios.map((ratio, week) => `week ${week} ${percent(ratio)}`).join(' | '),
  ],
};

export const SHOP_QUESTIONS: readonly ShopQuestion[] = [
  FUNNEL_QUESTION,
  RETENTION_QUESTION,
  {
    name: 'shop-lifecycle',
    text: 'How many visitors are new, return, return after a gap, or stay away, week by week?',
    type: 'lifecycle',
    query: { dimension, event: EVERY_PAGE, interval: 'weeks', between: WHOLE },
    lines: ({ series }: Lifecycle) =>
      series
        .slice(-3)
        .map(
          (week) =>
            `${day(week.between)}: ${week.new} new, ${week.returning} returning, ${week.resurrecting} back after a gap, ${week.dormant} away`,
        ),
  },
  {
    name: 'shop-flow',
    text: 'Where do visitors go from the home page?',
    type: 'flow',
    query: { dimension, start: page('home'), depth: 4, limit: 6, within: '1hr', between: WHOLE },
    lines: ({ levels }: Levels) =>
      levels.map(({ nodes }) =>
        nodes
          .slice(0, 4)
          .map((node) => `${node.value ?? 'others'} ${count(node.count)}`)
          .join(' | '),
      ),
  },
  {
    name: 'shop-sessions',
    text: 'How long are visits, by device, if half an hour without an event ends one?',
    type: 'sessions',
    query: {
      ...{ dimension, stream: ['page', 'cart', 'order'], gap: '30min', between: WHOLE },
      breakdown: { column: 'device' },
    },
    lines: ({ sessions, seconds, events }: Sessions) => [
      `${count(sessions)} visits, median ${seconds.median} s, ${events.avg.toFixed(1)} events each`,
    ],
  },
  {
    name: 'shop-revenue',
    text: 'How much is paid in each week?',
    type: 'aggregation',
    query: [{ paid: 'sum', interval: 'weeks', between: WHOLE }],
    lines: ({ result }: Revenue) => [
      result.paid
        .slice(0, 6)
        .map(({ between, sum }) => `${day(between)} ${count(sum)}`)
        .join(' | '),
    ],
  },
];

export interface ShopAnswer {
  readonly question: ShopQuestion;
  readonly answer: unknown;
  readonly ms: number;
}

/** Saves the questions and asks each by its name. `masterKey` may do both. */
export async function answersAboutShop(
  client: RemoteClient,
  key: string,
  elapsedMs: () => number,
): Promise<ShopAnswer[]> {
  const answers: ShopAnswer[] = [];
  for (const question of SHOP_QUESTIONS) {
    const { name, type, query } = question;
    const body = JSON.stringify({ name, type, ...(type === 'aggregation' ? { dimension } : {}), query });
    await client.json({ method: 'POST', path: '/v1/query/saved', key, body });
    const startMs = elapsedMs();
    const answer = (await client.json({ method: 'GET', path: `/v1/query/saved/${name}`, key })) as {
      readonly result?: { readonly query?: unknown };
    };
    answers.push({ question, answer: answer.result?.query ?? answer, ms: elapsedMs() - startMs });
  }
  return answers;
}
