/**
 * data/earthquakes.json -> insert bodies of two dimensions: in `earthquakes` each earthquake is an entity; in `networks` it
 * is an event of the network that reported it, in the columns `epicentre` and `strength`.
 */
import type { FileSystem } from '../../io/index.js';
import { formatDateTime } from '../../schema/index.js';
import { type Entity, entityBodies } from './entities.js';
import { DEMO_FILES, readTextFile } from './files.js';
import type { InsertBody } from './model.js';

/** One object of the file; data/README.md describes the fields. */
interface QuakeRow {
  readonly id: string;
  readonly mag: number;
  readonly magType: string;
  readonly place: string;
  readonly time: number;
  readonly type: string;
  readonly status: string;
  readonly net: string;
  readonly sources: string;
  readonly sig: number;
  readonly felt: number | null;
  readonly nst: number | null;
  readonly alert: string | null;
  readonly tsunami: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly depth: number;
}

async function readRows(files: FileSystem): Promise<QuakeRow[]> {
  return JSON.parse(await readTextFile(files, DEMO_FILES.earthquakes)) as QuakeRow[];
}

/** Times of the file have milliseconds; events and datetimes have whole seconds. */
const dateTimeOf = ({ time }: QuakeRow): string => formatDateTime(Math.floor(time / 1000));

/** Every earthquake of the file. */
export async function readEarthquakes(files: FileSystem): Promise<Entity[]> {
  return (await readRows(files)).map((row) => ({
    id: row.id,
    values: {
      magnitude: row.mag,
      'magnitude-type': row.magType,
      place: row.place,
      type: row.type,
      status: row.status,
      network: row.net,
      alert: row.alert,
      sources: row.sources.split(',').filter((source) => source !== ''),
      time: dateTimeOf(row),
      depth: row.depth,
      significance: row.sig,
      felt: row.felt,
      stations: row.nst,
      tsunami: row.tsunami === 1,
      location: [row.longitude, row.latitude],
    },
  }));
}

export async function* earthquakeBodies(files: FileSystem): AsyncGenerator<InsertBody> {
  yield* entityBodies('earthquakes', await readEarthquakes(files));
}

/** All networks in one body, because they are few. */
export async function* networkBodies(files: FileSystem): AsyncGenerator<InsertBody> {
  const networks: Record<string, { dimension: string; epicentre: object[]; strength: object[] }> = {};
  const rows = await readRows(files);
  for (const row of rows) {
    networks[row.net] ??= { dimension: 'networks', epicentre: [], strength: [] };
    const date = dateTimeOf(row);
    networks[row.net].epicentre.push({ value: [row.longitude, row.latitude], date });
    networks[row.net].strength.push({ value: row.mag, date });
  }
  const entityCount = Object.keys(networks).length;
  yield {
    bytes: new TextEncoder().encode(JSON.stringify(networks)),
    entityCount,
    valueCount: rows.length * 2,
    rowCount: entityCount,
  };
}
