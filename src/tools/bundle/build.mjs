/**
 * Bundles the entry points of processes and threads, each into one file that load.cjs runs. A bundle loads in a third of
 * the time of hundreds of files, and with its compiled code next to it (`FILE.VERSION.code`, about half its size, for one
 * version of Node) in half of that. A server that the build starts and queries writes the compiled code, so it covers a start
 * and the first queries.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
/** Entry points of processes and threads, whose compiled code is stored. */
export const STARTED = ['src/main.ts', 'src/worker/entry.ts'];
/** Entry points of threads that are started too seldom to store their compiled code. */
const WITHOUT_CODE = ['src/commands/import/text/thread.ts', 'src/http/parquet/thread.ts'];
export const BUNDLED = [...STARTED, ...WITHOUT_CODE];
/** Not bundled: native modules, packages that read WebAssembly or start threads from their own files, and data. */
const NOT_BUNDLED = [
  'uWebSockets.js',
  'koffi',
  'lz4-napi',
  'parquet-wasm',
  'pino',
  'piscina',
  'vega-datasets',
];
/** Modules of the packages above that are bundled all the same: a bundle cannot load an ES module. */
const BUNDLED_MODULES = {
  'parquet-wasm/esm': fileURLToPath(import.meta.resolve('parquet-wasm/esm')),
};
const LOADER = 'src/load.cjs';
const LOOK_MS = 20;

const starterFileOf = (source) => source.replace(/\.ts$/, '.js');
const bundleOf = (source) => source.replace(/\.ts$/, '.cjs');
const codeOf = (source, version) => `${bundleOf(source)}.${version}.code`;

/** The files that a start under a version of Node (such as v22.1.0) needs, relative to dist/. */
export const bundleFiles = (version) => [
  LOADER,
  ...BUNDLED.flatMap((source) => [starterFileOf(source), bundleOf(source)]),
  ...STARTED.map((source) => codeOf(source, version)),
];

/** The started file: it only loads the bundle next to it. */
function starterOf(source) {
  const loader = path.relative(path.dirname(source), LOADER);
  const at = loader.startsWith('.') ? loader : `./${loader}`;
  const bundle = path.basename(bundleOf(source));
  return [
    `import { createRequire } from 'node:module';`,
    `import { fileURLToPath } from 'node:url';`,
    `const load = createRequire(import.meta.url)('${at}');`,
    `export default load(fileURLToPath(new URL('${bundle}', import.meta.url))).default;`,
    '',
  ].join('\n');
}

/** Bundles the sources below `root` into `dist`. */
export async function buildBundles(root, dist) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: BUNDLED.map((source) => path.join(root, source)),
    outdir: dist,
    outbase: root,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    bundle: true,
    sourcemap: 'linked',
    logLevel: 'warning',
    external: NOT_BUNDLED,
    alias: BUNDLED_MODULES,
    banner: { js: `const urlOfBundle = require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': 'urlOfBundle' },
  });
  fs.copyFileSync(path.join(HERE, 'load.cjs'), path.join(dist, LOADER));
  for (const source of BUNDLED) {
    fs.writeFileSync(path.join(dist, starterFileOf(source)), starterOf(source));
    removeCode(path.join(dist, bundleOf(source)));
  }
}

/** Removes the compiled code of a bundle for all versions of Node. */
function removeCode(bundle) {
  const dir = path.dirname(bundle);
  const start = `${path.basename(bundle)}.`;
  for (const name of fs.readdirSync(dir)) {
    if (name.startsWith(start) && name.endsWith('.code')) fs.rmSync(path.join(dir, name));
  }
}

/** Whether `dist` has the compiled code of the bundles for a version of Node. */
export const hasCode = (dist, version) =>
  STARTED.every((source) => fs.existsSync(path.join(dist, codeOf(source, version))));

/** Queries sent before the compiled code is written: those that users and programs send first. */
const FIRST_REQUESTS = [
  ['/v1/column', [{ 'api-name': 'n', name: 'n', type: 'integer' }]],
  ['/v1/insert', { a: { n: 1 }, b: { n: 2 } }],
  ['/v1/query/count/entity', { 'query-name': 'some', query: [{ n: { gte: 1 } }] }],
  ['/v1/sql', 'SELECT n, COUNT(*) FROM [default] WHERE n > 0 GROUP BY n ORDER BY n'],
];

/**
 * Writes the compiled code of the bundles in `dist` for an executable of Node and its version. Rejects if the server does not
 * start or refuses a request.
 */
export async function keepCode(dist, node = process.execPath, version = process.version) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-code-'));
  const when = path.join(dir, 'keep');
  const flags = ['--data-dir', `${dir}/data`, '--http-port', '0', '--https-port', '0'];
  const argv = ['--require', path.join(HERE, 'keep-scripts.cjs'), path.join(dist, 'src/main.js'), 'serve'];
  const server = spawn(node, [...argv, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { QUARRY_KEEP_CODE_WHEN: when },
  });
  const ended = new Promise((resolve) => server.on('close', resolve));
  try {
    const url = await addressOf(server);
    const { database } = JSON.parse(fs.readFileSync(`${dir}/data/keys.json`, 'utf8'));
    const as = { key: database['master-key'], ca: fs.readFileSync(`${dir}/data/tls/cert.pem`) };
    for (const [at, body] of FIRST_REQUESTS) await send(url + at, as, body);
    fs.writeFileSync(when, '');
    while (server.exitCode === null && !hasCode(dist, version)) await pause(LOOK_MS);
  } finally {
    server.kill();
    await ended;
    fs.rmSync(dir, { recursive: true });
  }
}

/** The addresses of the server. */
function addressOf(server) {
  let output = '';
  return new Promise((resolve, reject) => {
    const hear = (part) => {
      output += part;
      const found = /quarry serves (https:\S+) and/.exec(output);
      if (found !== null) resolve(found[1]);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('close', () =>
      reject(new Error(`the server that was to write its compiled code ended:\n${output}`)),
    );
  });
}

function send(url, { key, ca }, body) {
  const isSql = typeof body === 'string';
  const headers = { Authorization: key, 'Content-Type': isSql ? 'application/sql' : 'application/json' };
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method: 'POST', headers, ca, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: HTTP ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    });
    request.on('error', reject);
    request.end(isSql ? body : JSON.stringify(body));
  });
}
