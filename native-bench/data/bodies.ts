/**
 * People as bodies of POST /v1/insert, 1,000 entities each, generated on demand or read from a file.
 *
 * Body file, little-endian: per body  offset 0  u32 byteCount
 *                                            4  u32 entityCount
 *                                            8  u8[byteCount] JSON
 */
import fs from 'node:fs';
import { formatDate } from '../../src/schema/index.js';
import {
  BLOCK_ENTITIES,
  cityName,
  countryName,
  dayText,
  type EventColumn,
  entityId,
  instantText,
  type People,
  type PeopleBlock,
  pageName,
  type Shape,
} from './people.js';

export interface Body {
  readonly bytes: Uint8Array;
  readonly entityCount: number;
}

/** The source of a load's bodies, one after the other; null = no more. */
export interface BodySource {
  next(): Body | null;
  close(): void;
}

/** JSON of an entity's events of a column, with the column's name; '' if there are none. */
function eventsJson(
  name: string,
  events: EventColumn,
  index: number,
  textOf: (value: number) => string,
  byDay: boolean,
): string {
  const end = events.offsets[index + 1];
  let list = '';
  for (let at = events.offsets[index]; at < end; at++) {
    const date = byDay ? dayText(events.dates[at]) : instantText(events.dates[at]);
    list += `${list === '' ? '' : ','}{"value":${textOf(events.values[at])},"date":"${date}"}`;
  }
  return list === '' ? '' : `,"${name}":[${list}]`;
}

export const hundredths = (value: number): string =>
  `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`;
export const tenths = (value: number): string => `${Math.floor(value / 10)}.${value % 10}`;
const quotedPage = (page: number): string => `"${pageName(page)}"`;

/** The values of entity `index` of the block as a JSON object. */
export function personJson(block: PeopleBlock, index: number, shape: Shape): string {
  const attributes =
    `"country":"${countryName(block.country[index])}","city":"${cityName(block.city[index])}","age":${block.age[index]},` +
    `"income":${hundredths(block.income[index])},"active":${block.active[index] === 1}`;
  if (shape === 'ingest')
    return `{${attributes}${eventsJson('visit', block.visit, index, quotedPage, true)}}`;
  return (
    `{${attributes},"born":"${formatDate(block.born[index])}","joined":"${instantText(block.joined[index])}",` +
    `"home":[${block.longitude[index] / 10_000},${block.latitude[index] / 10_000}]` +
    `${eventsJson('visit', block.visit, index, quotedPage, false)}` +
    `${eventsJson('purchase', block.purchase, index, String, false)}` +
    `${eventsJson('rating', block.rating, index, tenths, false)}}`
  );
}

export function blockBody(block: PeopleBlock, shape: Shape): Body {
  let text = '';
  for (let index = 0; index < BLOCK_ENTITIES; index++) {
    text += `${index === 0 ? '{' : ','}"${entityId(block.from + index)}":${personJson(block, index, shape)}`;
  }
  return { bytes: Buffer.from(`${text}}`, 'latin1'), entityCount: BLOCK_ENTITIES };
}

/** The entities [from, to), both multiples of 1,000, generated on demand. */
export function generatePeople(people: People, from: number, to: number): BodySource {
  let at = from;
  return {
    next() {
      if (at >= to) return null;
      const block = people.block(at / BLOCK_ENTITIES);
      at += BLOCK_ENTITIES;
      return blockBody(block, people.shape);
    },
    close() {},
  };
}

/** Writes every body of `source` into `file`; returns the bytes of JSON. */
export function writeBodies(file: string, source: BodySource): number {
  const out = fs.openSync(file, 'w');
  let byteCount = 0;
  for (let body = source.next(); body !== null; body = source.next()) {
    const head = new Uint32Array([body.bytes.length, body.entityCount]);
    fs.writevSync(out, [head, body.bytes]);
    byteCount += body.bytes.length;
  }
  fs.closeSync(out);
  return byteCount;
}

/** Reads the bodies of a file one by one, so that a load costs little more than sending. */
export function readBodies(file: string): BodySource {
  const input = fs.openSync(file, 'r');
  const head = new Uint32Array(2);
  return {
    next() {
      if (fs.readSync(input, head) === 0) return null;
      const bytes = Buffer.allocUnsafe(head[0]);
      if (fs.readSync(input, bytes) !== bytes.length) throw new Error(`${file} ends inside a body`);
      return { bytes, entityCount: head[1] };
    },
    close: () => fs.closeSync(input),
  };
}

/** The same small body `times` times, to measure queries. */
export function repeatBody(bytes: Uint8Array, times: number): BodySource {
  let left = times;
  return { next: () => (left-- > 0 ? { bytes, entityCount: 0 } : null), close() {} };
}
