import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import t from 'tap';
import { DEMO_FILES } from '../../src/commands/demo/files.js';

const packaged = (name: string): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data', name);

interface Feature {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly coordinates: readonly [number, number, number] };
}

t.test('data/airports.csv has the same bytes as the file in the package', async (t) => {
  t.ok(fs.readFileSync(DEMO_FILES.airports).equals(fs.readFileSync(packaged('airports.csv'))));
});

t.test("data/earthquakes.json holds every event of the package's file, its values unaltered", async (t) => {
  const rows = JSON.parse(fs.readFileSync(DEMO_FILES.earthquakes, 'utf8')) as Record<string, unknown>[];
  const { features } = JSON.parse(fs.readFileSync(packaged('earthquakes.json'), 'utf8')) as {
    features: Feature[];
  };
  const expected = features.map(({ id, properties, geometry }, index) => {
    const [longitude, latitude, depth] = geometry.coordinates;
    const retained = Object.keys(rows[index]).filter((field) => field in properties);
    return {
      id,
      ...Object.fromEntries(retained.map((field) => [field, properties[field]])),
      longitude,
      latitude,
      depth,
    };
  });
  t.strictSame(rows, expected);
});

t.test('every file in data/ is listed in data/README.md and smaller than 1 MB', async (t) => {
  const dir = path.dirname(DEMO_FILES.airports);
  const readme = fs.readFileSync(path.join(dir, 'README.md'), 'utf8');
  const names = fs.readdirSync(dir).filter((name) => fs.statSync(path.join(dir, name)).isFile());
  t.strictSame(names.sort(), ['README.md', 'airports.csv', 'earthquakes.json']);
  for (const name of names) {
    t.ok(fs.statSync(path.join(dir, name)).size < 1_000_000, name);
    if (name !== 'README.md') t.match(readme, name);
  }
});
