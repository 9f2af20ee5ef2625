/** The built tree with only the production dependencies: the server runs, and only the demo refuses to start. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { JsonClient } from '../support/json-client.js';
import { ServerProcess } from '../support/server-process.js';
import { ROOT, read } from './source.js';

const run = promisify(execFile);

interface LockEntry {
  readonly dev?: boolean;
  readonly link?: boolean;
}

const FOLDER = 'node_modules/';
/** Modules are resolved from the location of a link, not from that of its target. */
const ENV = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };

/** Packages of package-lock.json that `npm ci --omit=dev` installs here; those inside another package come with it. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockEntry> };
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith(FOLDER) && dev !== true && link !== true)
    .map(([path]) => path.slice(FOLDER.length))
    .filter((name) => !name.includes(`/${FOLDER}`) && fs.existsSync(path.join(ROOT, FOLDER, name)));
}

/** A folder with package.json, dist, data, and the production packages in node_modules. */
function installation(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-production-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  for (const name of ['package.json', 'dist', 'data'])
    fs.symlinkSync(path.join(ROOT, name), path.join(dir, name));
  for (const name of productionPackages()) {
    const link = path.join(dir, FOLDER, name);
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.symlinkSync(path.join(ROOT, FOLDER, name), link);
  }
  return dir;
}

const mainIn = (dir: string): string => path.join(dir, 'dist/src/main.js');

t.test('a built tree serves with only its production dependencies', async (t) => {
  const names = productionPackages();
  t.ok(names.includes('piscina') && names.includes('uWebSockets.js'));
  const dir = installation(t);
  const { resolve } = createRequire(path.join(dir, 'package.json'));
  t.ok(resolve('piscina'));
  t.throws(() => resolve('typescript'), 'development dependencies are not found');
  const dataDir = path.join(dir, 'store');
  const server = new ServerProcess({ dir: dataDir, main: mainIn(dir), env: ENV });
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  const body = { 'auto-create': ['column'], a: { size: 1 }, b: { size: 2 } };
  await client.succeed({ path: '/v1/insert', body });
  const query = { 'query-name': 'large', query: [{ size: { gte: 2 } }] };
  const counted = await client.succeed({ path: '/v1/query/count/entity', body: query });
  t.match(counted, { result: { large: 1 } });
  t.equal(await server.end(), 0);
});

t.test('the demo refuses to start without its data, which is a development dependency', async (t) => {
  const dir = installation(t);
  const ended = await run(process.execPath, [mainIn(dir), 'demo'], { env: { ...process.env, ...ENV } }).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
  t.equal(ended.code, 1);
  t.match(ended.stderr, "the demo's data is not installed: npm ci, without --omit=dev, installs it");
});
