/**
 * data/airports.csv -> insert bodies of the dimension `airports`.
 * The file: one header line; fields separated by commas; fields that hold a comma in quotes; quotes doubled. `NA` in city or
 * state means "not available".
 */
import type { FileSystem } from '../../io/index.js';
import { type Entity, entityBodies } from './entities.js';
import { DEMO_FILES, readTextFile } from './files.js';
import type { InsertBody } from './model.js';

/** The fields of one CSV line (RFC 4180, without line breaks inside quotes). */
export function splitCsvLine(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    fields.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
  }
  return fields;
}

const available = (field: string): string | null => (field === 'NA' ? null : field);

/** Every airport of the file. */
export async function readAirports(files: FileSystem): Promise<Entity[]> {
  const lines = (await readTextFile(files, DEMO_FILES.airports)).trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const [iata, name, city, state, country, latitude, longitude] = splitCsvLine(line);
    return {
      id: iata,
      values: {
        name,
        city: available(city),
        state: available(state),
        country,
        location: [Number(longitude), Number(latitude)],
      },
    };
  });
}

export async function* airportBodies(files: FileSystem): AsyncGenerator<InsertBody> {
  yield* entityBodies('airports', await readAirports(files));
}
