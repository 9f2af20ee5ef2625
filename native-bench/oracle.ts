/** Expected answers and bytes of the values, computed row by row from the generated people. */
import {
  BLOCK_ENTITIES,
  cityName,
  countryName,
  type EventColumn,
  entityId,
  type People,
  type PeopleBlock,
  pageName,
} from './data/people.js';
import type { Question } from './questions.js';

/** Expected values for the people [0, entityCount). */
export interface Expected {
  readonly entityCount: number;
  readonly eventCount: number;
  /** Question name -> the answer of each variant. */
  readonly answers: ReadonlyMap<string, readonly number[]>;
  /** Bytes of the values: 8 an integer, decimal, datetime and event date, 4 a date, 1 a boolean, 16 a geolocation,
   *  and the UTF-8 bytes of every string and entity ID. */
  readonly ownBytes: number;
}

const INTEGER = 8;
const DECIMAL = 8;
const DATETIME = 8;
const DATE = 4;
const BOOLEAN = 1;
const GEOLOCATION = 16;
const textBytes = (text: string): number => Buffer.byteLength(text, 'utf8');

const eventsOf = ({ offsets }: EventColumn): number => offsets[BLOCK_ENTITIES];

/** Bytes of the values of a block in the shape 'full'. */
function ownBytesOf(block: PeopleBlock): number {
  const fixed = INTEGER + DECIMAL + BOOLEAN + DATE + DATETIME + GEOLOCATION;
  let bytes = BLOCK_ENTITIES * fixed;
  for (let index = 0; index < BLOCK_ENTITIES; index++) {
    bytes += textBytes(entityId(block.from + index));
    bytes += textBytes(countryName(block.country[index])) + textBytes(cityName(block.city[index]));
  }
  for (let at = 0; at < eventsOf(block.visit); at++) bytes += textBytes(pageName(block.visit.values[at]));
  bytes += eventsOf(block.purchase) * INTEGER + eventsOf(block.rating) * DECIMAL;
  return bytes + (eventsOf(block.visit) + eventsOf(block.purchase) + eventsOf(block.rating)) * DATETIME;
}

/** Walks over the people once and returns an Expected per size. `sizes` are ascending multiples of the block size. */
export function expectedOf(
  people: People,
  questions: readonly Question[],
  sizes: readonly number[],
): Expected[] {
  const sums = questions.map(({ variants }) => variants.map(() => 0));
  const found: Expected[] = [];
  let eventCount = 0;
  let ownBytes = 0;
  for (let at = 0; at < sizes[sizes.length - 1]; ) {
    const block = people.block(at / BLOCK_ENTITIES);
    questions.forEach(({ variants }, question) => {
      variants.forEach(({ counts }, variant) => {
        let sum = 0;
        for (let index = 0; index < BLOCK_ENTITIES; index++) if (counts(block, index)) sum++;
        sums[question][variant] += sum;
      });
    });
    eventCount += eventsOf(block.visit) + eventsOf(block.purchase) + eventsOf(block.rating);
    if (people.shape === 'full') ownBytes += ownBytesOf(block);
    at += BLOCK_ENTITIES;
    if (!sizes.includes(at)) continue;
    const answers = new Map(questions.map(({ name }, index) => [name, [...sums[index]]]));
    found.push({ entityCount: at, eventCount, answers, ownBytes });
  }
  return found;
}
