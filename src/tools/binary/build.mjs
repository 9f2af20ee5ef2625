/**
 * `npm run build:binary`: one executable, dist/binary/quarry, for the system and processor it is built on.
 * It is Node 22 (src/tools/node22/) without debugging symbols, with the program as assets (Node's single executable
 * applications): the bundles, the kernels, the files of packages that they load (found by following imports) and the demo's
 * data. Assets are compressed where that saves space. boot.cjs unpacks them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { nodeFileTrace } from '@vercel/nft';
import { inject } from 'postject';
import { buildIfStale } from '../build.mjs';
import { bundleFiles, hasCode, keepCode } from '../bundle/build.mjs';
import { MODULES_VERSION, NATIVE_PART_DIR, node22 } from '../node22/node22.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const dist = path.join(root, 'dist');
const out = path.join(dist, 'binary');
const binaryFile = path.join(out, 'quarry');
/** Files that are read by name, so that tracing imports does not find them. */
const DATA = [
  'dist/src/kernels/kernels.wasm',
  'dist/postgres-template.tar.gz',
  'node_modules/@electric-sql/pglite/dist/pglite.wasm',
  'node_modules/@electric-sql/pglite/dist/pglite.data',
  'node_modules/koffi/package.json',
  'node_modules/parquet-wasm/node/parquet_wasm_bg.wasm',
  'package.json',
  'data/airports.csv',
  'data/earthquakes.json',
  'node_modules/vega-datasets/package.json',
  'node_modules/vega-datasets/build/index.js',
  'node_modules/vega-datasets/data/flights-3m.parquet',
  'node_modules/vega-datasets/data/flights-20k.json',
];
/** Changes whenever the content of the executable changes; the stamp of the build represents all built files. */
const INPUTS = [
  'dist/.stamp',
  'package-lock.json',
  'data/airports.csv',
  'data/earthquakes.json',
  'src/tools/binary/build.mjs',
  'src/tools/binary/boot.cjs',
  'src/tools/node22/package-lock.json',
];
/** Longer than any build takes. */
const BUILD_MS_MAX = 300_000;
/** The result is a tenth larger than at the highest quality, in a tenth of the time. */
const PACKING = { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 };
const RUN = `import('./dist/src/main.js');\n`;
/** Marks the byte in Node's executable that states whether it contains a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Packages that are loaded by name at run time, so that tracing imports does not find them. */
const LOADED = ['node_modules/uWebSockets.js/uws.js', 'node_modules/koffi/index.cjs'];
const { platform, arch } = process;
/** Their native parts. */
const NATIVE_PARTS = [NATIVE_PART_DIR, `node_modules/@koromix/koffi-${platform}-${arch}`];

/** Omits native code for other systems, C libraries, processors and versions of Node. */
function isForeign(file) {
  const name = path.basename(file);
  if (name.startsWith('uws_')) return name !== `uws_${platform}_${arch}_${MODULES_VERSION}.node.js`;
  if (file.startsWith('node_modules/@uwsjs/')) return !file.startsWith(`${NATIVE_PART_DIR}/`);
  return file.startsWith('node_modules/@koromix/') && file.includes('/musl_');
}

/** Also read by name. */
const filesUnder = (dir) =>
  fs
    .readdirSync(path.join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

/** Returns bundles and packages; the trace mistakes a folder that the program names for one whose files it reads. */
async function filesOfProgram(version) {
  const program = [...bundleFiles(version).map((file) => `dist/${file}`), 'dist/src/pg/catalog/thread.js'];
  const isProgram = (file) => file.startsWith('node_modules/') || program.includes(file);
  const options = { base: root, processCwd: root, ignore: (file) => !isProgram(file) };
  const sources = [...program.filter((file) => /\.c?js$/.test(file)), ...LOADED];
  const { fileList } = await nodeFileTrace(sources, options);
  const byName = [...NATIVE_PARTS, 'dist/console'].flatMap(filesUnder);
  return [...new Set([...fileList, ...program, ...DATA, ...byName])]
    .filter((file) => !isForeign(file))
    .sort();
}

/** Writes each asset below `dir`. Returns the index for boot.cjs and, for Node, the name and file of each asset. */
function writeAssets(files, dir) {
  const hash = createHash('sha256');
  const index = [];
  const assets = {};
  const add = (name, content) => {
    hash.update(name).update('\0').update(String(content.length)).update('\0').update(content);
    const packed = zlib.brotliCompressSync(content, { params: PACKING });
    const isPacked = packed.length < content.length * 0.9;
    const file = path.join(dir, `${index.length}`);
    fs.writeFileSync(file, isPacked ? packed : content);
    index.push([name, content.length, isPacked]);
    assets[name] = file;
  };
  for (const file of files) add(file, fs.readFileSync(path.join(root, file)));
  add('run.cjs', Buffer.from(RUN));
  const indexFile = path.join(dir, 'index.json');
  fs.writeFileSync(indexFile, JSON.stringify({ hash: hash.digest('hex').slice(0, 32), files: index }));
  assets['index.json'] = indexFile;
  return assets;
}

/** Returns a text that identifies the content of the executable: the build, the packages, the data and this file. */
function inputsHash(version) {
  const hash = createHash('sha256').update(version);
  for (const file of INPUTS) hash.update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** Builds the executable, unless an existing one has the same content, and returns its path. Concurrent calls wait for one. */
export async function buildBinary() {
  await buildIfStale();
  fs.mkdirSync(out, { recursive: true });
  const free = await lockOut();
  try {
    const madeOf = path.join(out, 'made-of');
    const node = node22();
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const inputs = inputsHash(version);
    const isFresh = fs.existsSync(binaryFile) && fs.existsSync(madeOf);
    if (isFresh && fs.readFileSync(madeOf, 'utf8') === inputs) return binaryFile;
    if (!hasCode(dist, version)) await keepCode(dist, node, version);
    await makeBinary(node, version);
    fs.writeFileSync(madeOf, inputs);
    return binaryFile;
  } finally {
    free();
  }
}

/** Waits for the build lock and returns a function that releases it. The lock file of a dead process is ignored. */
async function lockOut() {
  const lock = path.join(out, 'lock');
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => fs.rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(lock)) fs.rmSync(lock, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isAbandoned(lock) {
  try {
    if (Date.now() - fs.statSync(lock).mtimeMs > BUILD_MS_MAX) return true;
    const pid = Number(fs.readFileSync(lock, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

async function makeBinary(node, version) {
  // A name of its own, in case two processes build after all.
  const work = fs.mkdtempSync(path.join(out, 'work-'));
  try {
    const config = {
      main: path.join(root, 'src/tools/binary/boot.cjs'),
      output: path.join(work, 'program.blob'),
      disableExperimentalSEAWarning: true,
      assets: writeAssets(await filesOfProgram(version), work),
    };
    fs.writeFileSync(path.join(work, 'config.json'), JSON.stringify(config));
    execFileSync(node, ['--experimental-sea-config', path.join(work, 'config.json')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const binary = path.join(work, 'quarry');
    fs.copyFileSync(node, binary);
    fs.chmodSync(binary, 0o755);
    strip(binary);
    await inject(binary, 'NODE_SEA_BLOB', fs.readFileSync(config.output), { sentinelFuse: FUSE });
    fs.renameSync(binary, binaryFile);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** Without the tool, the executable is an eighth larger. */
function strip(binary) {
  try {
    execFileSync('strip', [binary]);
  } catch (error) {
    process.stderr.write(`the debugging symbols remain: ${error.message}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const binary = await buildBinary();
  const megabytes = (fs.statSync(binary).size / 1e6).toFixed(1);
  process.stdout.write(`${path.relative(process.cwd(), binary)}: ${megabytes} MB\n`);
}
