/**
 * The visitors of the shop, one after the other: pages, carts and orders over 90 days, made by a seeded generator. The
 * same seed makes the same visitors, and a shop of fewer visitors has the first of those of a greater one.
 * Invariants: only the first visit leads through product and cart, so that a funnel counts exactly `reached`; a return
 * visit lies in one week after the first visit; all events lie in [SHOP_START, SHOP_END).
 */
import { Prng } from '../../../base/index.js';
import {
  CART_RATES,
  CHANNELS,
  type Channel,
  COUNTRIES,
  DEVICES,
  type Device,
  ORDER_RATES,
  PRODUCT_RATE,
  REORDER_RATE,
  RETURN_RATES,
} from './rates.js';

export const SHOP_VISITORS = 200_000;
export const SHOP_VISITORS_SMALL = 2_000;
export const SHOP_SEED = 20_260_101;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
export const SHOP_DAYS = 90;
/** 2026-01-01T00:00:00Z, in seconds. */
export const SHOP_START = Date.UTC(2026, 0, 1) / 1000;
export const SHOP_END = SHOP_START + SHOP_DAYS * DAY_SECONDS;

export interface ShopEvent {
  readonly value: string | number;
  readonly seconds: number;
}

export interface Visitor {
  readonly id: string;
  readonly country: string;
  readonly channel: Channel;
  readonly device: Device;
  /** The last step of the first visit: 1 = home, 2 = product, 3 = cart, 4 = order. */
  readonly reached: 1 | 2 | 3 | 4;
  readonly firstSeconds: number;
  /** Weeks after the first visit with a return visit, ascending, from 1. */
  readonly returnWeeks: readonly number[];
  readonly page: ShopEvent[];
  readonly cart: ShopEvent[];
  /** Products; the nth is tied to the nth of `paid`. */
  readonly order: ShopEvent[];
  readonly paid: ShopEvent[];
}

const PRODUCTS: readonly (readonly [name: string, price: number])[] = [
  ['kettle', 39],
  ['lamp', 65],
  ['chair', 129],
  ['desk', 349],
  ['rug', 89],
  ['clock', 25],
  ['shelf', 159],
];
/** Three days in which more visitors than usual come for the first time. */
const SALE_DAYS = [40, 41, 42] as const;
const SALE_SHARE = 0.08;
/** The hours in which visits begin; a visit lasts less than one more. */
const FIRST_HOUR = 6;
const HOURS = 17;
const VISIT_SECONDS_MAX = 3_600;

function weighted<Name extends string>(random: Prng, weights: Readonly<Record<Name, number>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = random.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return entries[0][0];
}

/** The sum of two numbers is most often in the middle: afternoons are busiest. */
const timeOfDay = (random: Prng): number =>
  Math.floor((FIRST_HOUR + ((random.unit() + random.unit()) / 2) * HOURS) * 3_600);

/** The seconds between two events of a visit: 5 s to 5 min. */
const pause = (random: Prng): number => random.between(5, 300);

function buy(random: Prng, visitor: Visitor, seconds: number): void {
  const [product, price] = random.pick(PRODUCTS);
  const count = random.chance(0.2) ? 2 : 1;
  visitor.order.push({ value: product, seconds });
  visitor.paid.push({ value: price * count, seconds });
}

function firstVisit(random: Prng, visitor: Visitor): void {
  const { page, cart, reached } = visitor;
  let seconds = visitor.firstSeconds;
  page.push({ value: 'home', seconds });
  if (reached === 1) {
    if (random.chance(0.4)) page.push({ value: 'help', seconds: seconds + pause(random) });
    return;
  }
  if (random.chance(0.5)) {
    seconds += pause(random);
    page.push({ value: 'search', seconds });
  }
  const products = random.between(1, 3);
  for (let index = 0; index < products; index++) {
    seconds += pause(random);
    page.push({ value: 'product', seconds });
  }
  if (reached === 2) return;
  seconds += pause(random);
  cart.push({ value: random.pick(PRODUCTS)[0], seconds });
  seconds += pause(random);
  page.push({ value: 'checkout', seconds });
  if (reached === 4) buy(random, visitor, seconds + pause(random));
}

const RETURN_PAGES = ['account', 'news', 'help', 'search'] as const;

function returnVisit(random: Prng, visitor: Visitor, start: number): void {
  let seconds = start;
  visitor.page.push({ value: 'home', seconds });
  const more = random.between(0, 3);
  for (let index = 0; index < more; index++) {
    seconds += pause(random);
    visitor.page.push({ value: random.pick(RETURN_PAGES), seconds });
  }
  if (visitor.reached === 4 && random.chance(REORDER_RATE)) buy(random, visitor, seconds + pause(random));
}

function lastStep(random: Prng, channel: Channel, device: Device): 1 | 2 | 3 | 4 {
  if (!random.chance(PRODUCT_RATE)) return 1;
  if (!random.chance(CART_RATES[channel])) return 2;
  return random.chance(ORDER_RATES[device]) ? 4 : 3;
}

function makeVisitor(random: Prng, index: number): Visitor {
  const channel = weighted(random, CHANNELS);
  const device = weighted(random, DEVICES);
  const day = random.chance(SALE_SHARE) ? random.pick(SALE_DAYS) : random.below(SHOP_DAYS);
  const firstSeconds = SHOP_START + day * DAY_SECONDS + timeOfDay(random);
  const returns = RETURN_RATES.flatMap((rate, at): [week: number, start: number][] => {
    const within = random.below(WEEK_SECONDS - VISIT_SECONDS_MAX);
    const start = firstSeconds + (at + 1) * WEEK_SECONDS + within;
    return random.chance(rate) && start + VISIT_SECONDS_MAX < SHOP_END ? [[at + 1, start]] : [];
  });
  const visitor: Visitor = {
    id: `v${index + 1}`,
    country: weighted(random, COUNTRIES),
    channel,
    device,
    reached: lastStep(random, channel, device),
    firstSeconds,
    returnWeeks: returns.map(([week]) => week),
    ...{ page: [], cart: [], order: [], paid: [] },
  };
  firstVisit(random, visitor);
  for (const [, start] of returns) returnVisit(random, visitor, start);
  return visitor;
}

/** The first `count` visitors of the shop with this seed. */
export function* visitorsOf(count: number, seed = SHOP_SEED): Generator<Visitor> {
  const random = new Prng(seed);
  for (let index = 0; index < count; index++) yield makeVisitor(random, index);
}
