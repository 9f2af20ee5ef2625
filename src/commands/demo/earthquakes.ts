/** data/earthquakes.json -> insert bodies of the dimension `earthquakes`. */
import type { FileSystem } from '../../io/index.js';
import { formatDateTime } from '../../schema/index.js';
import { type Entity, entityBodies } from './entities.js';
import { DEMO_FILES, readText } from './files.js';
import type { InsertBody } from './model.js';

/** One object of the file; data/README.md says what each field is. */
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

/** Every earthquake of the file. */
export async function readEarthquakes(files: FileSystem): Promise<Entity[]> {
  const rows = JSON.parse(await readText(files, DEMO_FILES.earthquakes)) as QuakeRow[];
  return rows.map((row) => ({
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
      time: formatDateTime(Math.floor(row.time / 1000)),
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
