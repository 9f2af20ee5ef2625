/**
 * The same people for other databases: NDJSON with nested events (one line an entity), or CSV, one file of entities
 * and one of events for each event column.
 */
import fs from 'node:fs';
import path from 'node:path';
import { formatDate } from '../../src/schema/index.js';
import { hundredths, personJson, tenths } from './bodies.js';
import {
  BLOCK_ENTITIES,
  cityName,
  countryName,
  type EventColumn,
  entityId,
  instantText,
  type People,
  type PeopleBlock,
  pageName,
} from './people.js';

/** Writes lines of the entities [from, to): {"id":"u000000000","country":...,"visit":[{"value":...,"date":...}]}. */
export function writePeopleNdjson(people: People, from: number, to: number, file: string): void {
  fs.writeFileSync(file, '');
  for (let at = from; at < to; at += BLOCK_ENTITIES) {
    const block = people.block(at / BLOCK_ENTITIES);
    let lines = '';
    for (let index = 0; index < BLOCK_ENTITIES; index++) {
      lines += `{"id":"${entityId(block.from + index)}",${personJson(block, index, people.shape).slice(1)}\n`;
    }
    fs.appendFileSync(file, lines);
  }
}

function entityLine(block: PeopleBlock, index: number): string {
  return (
    `${entityId(block.from + index)},${countryName(block.country[index])},${cityName(block.city[index])},` +
    `${block.age[index]},${hundredths(block.income[index])},${block.active[index] === 1},` +
    `${formatDate(block.born[index])},${instantText(block.joined[index])},` +
    `${block.longitude[index] / 10_000},${block.latitude[index] / 10_000}\n`
  );
}

function eventLines(block: PeopleBlock, events: EventColumn, textOf: (value: number) => string): string {
  let text = '';
  for (let index = 0; index < BLOCK_ENTITIES; index++) {
    for (let at = events.offsets[index]; at < events.offsets[index + 1]; at++) {
      text += `${entityId(block.from + index)},${textOf(events.values[at])},${instantText(events.dates[at])}\n`;
    }
  }
  return text;
}

/** Files of `writePeopleCsv`, each with a header line. */
export interface CsvFiles {
  /** id, country, city, age, income, active, born, joined, longitude, latitude */
  readonly entities: string;
  /** id, value, date; pages, amounts and ratings. */
  readonly visit: string;
  readonly purchase: string;
  readonly rating: string;
}

/** Writes the entities [from, to) below `dir`, including attributes outside the shape. */
export function writePeopleCsv(people: People, from: number, to: number, dir: string): CsvFiles {
  const files: CsvFiles = {
    entities: path.join(dir, 'entities.csv'),
    visit: path.join(dir, 'visit.csv'),
    purchase: path.join(dir, 'purchase.csv'),
    rating: path.join(dir, 'rating.csv'),
  };
  fs.writeFileSync(files.entities, 'id,country,city,age,income,active,born,joined,longitude,latitude\n');
  for (const file of [files.visit, files.purchase, files.rating]) fs.writeFileSync(file, 'id,value,date\n');
  for (let at = from; at < to; at += BLOCK_ENTITIES) {
    const block = people.block(at / BLOCK_ENTITIES);
    let entities = '';
    for (let index = 0; index < BLOCK_ENTITIES; index++) entities += entityLine(block, index);
    fs.appendFileSync(files.entities, entities);
    fs.appendFileSync(files.visit, eventLines(block, block.visit, pageName));
    fs.appendFileSync(files.purchase, eventLines(block, block.purchase, String));
    fs.appendFileSync(files.rating, eventLines(block, block.rating, tenths));
  }
  return files;
}
