/**
 * Prepares the npm package of the client. `npm pack -w src/client` calls `prepare` before packing and `clean` afterwards;
 * `npm run build:client-types` calls `types`, which writes the declarations next to the built client in dist/.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient, buildClientTypes } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const packed = path.join(root, 'src/client/dist');

async function prepare() {
  fs.rmSync(packed, { recursive: true, force: true });
  await buildClient(root, packed);
  await buildClientTypes(root, packed);
}

const STEPS = {
  prepare,
  clean: async () => fs.rmSync(packed, { recursive: true, force: true }),
  types: () => buildClientTypes(root, path.join(root, 'dist/client')),
};

const step = STEPS[process.argv[2]];
if (step === undefined) throw new Error(`one of ${Object.keys(STEPS).join(', ')}`);
await step();
