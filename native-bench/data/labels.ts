/**
 * Rows of the sql line in addition to the people: things, each with a label, and the countries of the people, each
 * with its region.
 * Invariant: every label except the last ones belongs to LABEL_SHARERS things with distant numbers.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Body, BodySource } from './bodies.js';
import { COUNTRY_COUNT, countryName } from './people.js';

export const LABELS_DIMENSION = 'things';
export const COUNTRIES_DIMENSION = 'countries';
export const REGION_COUNT = 7;
/** Number of things that share a label. */
const LABEL_SHARERS = 2;
const BODY_ENTITIES = 1_000;
/** An odd factor, so that different labels have different texts. */
const MIXER = 0x9e37_79b1;

export const regionName = (country: number): string => `r${country % REGION_COUNT}`;

/** Label of thing `index` among `thingCount`, which is even: 9 to 15 bytes. */
export function labelName(index: number, thingCount: number): string {
  const label = index % (thingCount / LABEL_SHARERS);
  return `${(Math.imul(label, MIXER) >>> 0).toString(36)}-${label}`;
}

export const labelColumns: readonly object[] = [
  {
    name: 'label',
    'api-name': 'label',
    type: 'string',
    storage: 'latest-value',
    cardinality: 'high',
    dimension: LABELS_DIMENSION,
  },
  {
    name: 'region',
    'api-name': 'region',
    type: 'string',
    storage: 'latest-value',
    cardinality: 'low',
    dimension: COUNTRIES_DIMENSION,
  },
];

/** All things, in bodies of POST /v1/insert. */
export function generateLabels(thingCount: number): BodySource {
  let at = 0;
  return {
    next(): Body | null {
      if (at >= thingCount) return null;
      const entityCount = Math.min(BODY_ENTITIES, thingCount - at);
      const things = Array.from({ length: entityCount }, (_, index) => {
        const label = labelName(at + index, thingCount);
        return `"l${at + index}":{"dimension":"${LABELS_DIMENSION}","label":"${label}"}`;
      });
      at += entityCount;
      return { bytes: Buffer.from(`{${things.join()}}`, 'latin1'), entityCount };
    },
    close() {},
  };
}

/** All countries in one body. */
export function countriesBody(): Body {
  const countries = Array.from(
    { length: COUNTRY_COUNT },
    (_, country) =>
      `"${countryName(country)}":{"dimension":"${COUNTRIES_DIMENSION}","region":"${regionName(country)}"}`,
  );
  return { bytes: Buffer.from(`{${countries.join()}}`, 'latin1'), entityCount: COUNTRY_COUNT };
}

/** Files with a header line: id, label; id, region. */
export interface LabelFiles {
  readonly things: string;
  readonly countries: string;
}

/** Writes the same rows for another database below `dir`. */
export function writeLabelsCsv(thingCount: number, dir: string): LabelFiles {
  const files = { things: path.join(dir, 'things.csv'), countries: path.join(dir, 'countries.csv') };
  fs.writeFileSync(files.things, 'id,label\n');
  for (let at = 0; at < thingCount; at += BODY_ENTITIES) {
    let lines = '';
    for (let thing = at; thing < Math.min(at + BODY_ENTITIES, thingCount); thing++) {
      lines += `l${thing},${labelName(thing, thingCount)}\n`;
    }
    fs.appendFileSync(files.things, lines);
  }
  const countries = Array.from({ length: COUNTRY_COUNT }, (_, country) => country);
  const lines = countries.map((country) => `${countryName(country)},${regionName(country)}\n`);
  fs.writeFileSync(files.countries, `id,region\n${lines.join('')}`);
  return files;
}
