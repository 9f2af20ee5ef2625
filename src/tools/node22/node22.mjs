/**
 * Node 22, whichever Node this is: for the single executable and for tests under Node 22.
 * `npm run test:node22 [-- FILES]` runs the tests under it.
 * Node itself is a package of this folder's package-lock.json, which is installed on first use. It is separate from
 * the packages of the root, where its `node_modules/.bin/node` would replace the user's Node in every npm script.
 * npm installs the native part of uWebSockets.js for the Node that runs npm. The one for Node 22 is fetched here, and is used
 * only if it has the hash that the root's package-lock.json names.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../../..');
const SYSTEM = `${process.platform}-${process.arch}`;
const NATIVE_PART = `@uwsjs/${SYSTEM}-22`;
/** process.versions.modules of Node 22. */
export const MODULES_VERSION = '127';

const lockedIn = (dir) => JSON.parse(fs.readFileSync(path.join(dir, 'package-lock.json'), 'utf8')).packages;

const npm = (args, cwd) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

/** Installs Node 22 and the native part of uWebSockets.js if they are missing; returns the path of Node 22's executable. */
export function node22() {
  const name = `node_modules/node-${SYSTEM}`;
  const locked = lockedIn(here)[name];
  const isNode22 = process.versions.modules === MODULES_VERSION;
  if (locked === undefined && !isNode22) throw new Error(`npm has no Node 22 for ${SYSTEM}: use Node 22`);
  const dir = path.join(here, name);
  if (locked !== undefined && versionIn(dir) !== locked.version) npm(['ci', '--ignore-scripts'], here);
  fetchNativePart();
  return locked === undefined ? process.execPath : path.join(dir, 'bin/node');
}

function versionIn(dir) {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8')).version;
  } catch {
    return null;
  }
}

/** The folder of uWebSockets.js' native part for Node 22, relative to the root. */
export const NATIVE_PART_DIR = `node_modules/${NATIVE_PART}`;

function fetchNativePart() {
  const { version, integrity } = lockedIn(root)[NATIVE_PART_DIR] ?? {};
  const dir = path.join(root, NATIVE_PART_DIR);
  if (version === undefined || versionIn(dir) === version) return;
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-node22-'));
  try {
    npm(['pack', `${NATIVE_PART}@${version}`, '--pack-destination', work], work);
    const [file] = fs.readdirSync(work);
    const hash = createHash('sha512')
      .update(fs.readFileSync(path.join(work, file)))
      .digest('base64');
    if (integrity !== undefined && integrity !== `sha512-${hash}`)
      throw new Error(`${NATIVE_PART} does not have the hash that package-lock.json names`);
    execFileSync('tar', ['-xzf', file], { cwd: work });
    fs.mkdirSync(path.dirname(dir), { recursive: true });
    fs.rmSync(dir, { recursive: true, force: true });
    fs.cpSync(path.join(work, 'package'), dir, { recursive: true });
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the tests under Node 22; processes that they start as `node` also run Node 22. */
function test(args) {
  const node = node22();
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  const tests = spawn(node, [path.join(root, 'src/tools/test.mjs'), ...args], { env, stdio: 'inherit' });
  tests.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) test(process.argv.slice(2));
