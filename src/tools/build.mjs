/**
 * Builds dist/ from src/, test/ and native-bench/: TypeScript by esbuild file by file, as tests import it; the entry points
 * of processes and threads as bundles with their compiled code (bundle/); the SIMD kernels by AssemblyScript into one
 * module; the console by Vite.
 * `npm start` calls `buildIfStale()`, which does nothing if dist/ is newer than every source.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLED, buildBundles, hasCode, keepCode } from './bundle/build.mjs';
import { buildClient } from './client/build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const dist = path.join(root, 'dist');
const stampFile = path.join(dist, '.stamp');
const SOURCE_DIRS = ['src', 'test', 'native-bench'];
const CONSOLE_DIR = 'src/console';

/** Every source file below `dir`, relative to the root, in a fixed order. */
function sourcesUnder(dir) {
  const found = [];
  const walk = (at) => {
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      const full = path.join(at, entry.name);
      if (entry.isDirectory()) {
        if (!['node_modules', 'results', 'dist'].includes(entry.name)) walk(full);
      } else if (/\.(ts|tsx|mjs|cjs|json|css|html|svg)$/.test(entry.name))
        found.push(path.relative(root, full));
    }
  };
  if (fs.existsSync(path.join(root, dir))) walk(path.join(root, dir));
  return found.sort();
}

function digest(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

async function buildTypeScript(files) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: files.filter((file) => !BUNDLED.includes(file)).map((file) => path.join(root, file)),
    outdir: dist,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'warning',
    bundle: false,
  });
}

async function buildKernels(files, outFile) {
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main([
    ...files,
    '--baseDir',
    root,
    '--outFile',
    path.relative(root, outFile),
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--importMemory',
    '--noExportMemory',
    '--enable',
    'simd',
  ]);
  if (error) throw new Error(`kernels did not compile: ${error.message}\n${stderr.toString()}`);
}

/** Removes the output of deleted sources. */
function removeOutputsWithoutSource(sources) {
  const wanted = new Set(sources.map((file) => file.replace(/\.ts$/, '.js')));
  for (const dir of SOURCE_DIRS) {
    const outputs = fs.existsSync(path.join(dist, dir))
      ? fs.readdirSync(path.join(dist, dir), { recursive: true })
      : [];
    for (const name of outputs) {
      const output = path.join(dir, name);
      if (/\.js(\.map)?$/.test(name) && !wanted.has(output.replace(/\.map$/, '')))
        fs.rmSync(path.join(dist, output));
    }
  }
}

const isOfConsole = (file) => file.startsWith(`${CONSOLE_DIR}/`) || file.startsWith('src/tools/console/');

const isOfBundle = (file) => /^src\/tools\/(bundle|client)\//.test(file);

function readStamp() {
  try {
    return JSON.parse(fs.readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/** Builds what changed since the last build; returns the names of the parts that were built. */
export async function buildIfStale() {
  const all = SOURCE_DIRS.flatMap(sourcesUnder);
  const kernelFiles = all.filter((file) => file.startsWith('src/kernels/wasm/') && file.endsWith('.ts'));
  const typeScript = all.filter(
    (file) => file.endsWith('.ts') && !file.startsWith('src/kernels/wasm/') && !file.endsWith('.d.ts'),
  );
  const stamp = readStamp();
  const next = {
    kernels: digest([...kernelFiles, 'src/tools/build.mjs']),
    console: digest(all.filter(isOfConsole)),
    postgres: digest(['src/tools/postgres-template.mjs', 'node_modules/@electric-sql/pglite/package.json']),
    typeScript: digest([...typeScript, 'src/tools/build.mjs', ...all.filter(isOfBundle)]),
  };
  const built = [];
  const consoleDir = path.join(dist, 'console');
  const wasmFile = path.join(dist, 'src/kernels/kernels.wasm');
  if (stamp.typeScript !== next.typeScript) {
    removeOutputsWithoutSource(typeScript);
    await buildTypeScript(typeScript);
    await buildBundles(root, dist);
    await buildClient(root, path.join(dist, 'client'));
    built.push('typescript');
  }
  if (kernelFiles.length > 0 && (stamp.kernels !== next.kernels || !fs.existsSync(wasmFile))) {
    fs.mkdirSync(path.dirname(wasmFile), { recursive: true });
    await buildKernels(
      kernelFiles.filter((file) => !path.basename(file).startsWith('_')),
      wasmFile,
    );
    built.push('kernels');
  }
  if (stamp.console !== next.console || !fs.existsSync(consoleDir)) {
    const { buildConsole } = await import('./console/build.mjs');
    await buildConsole(path.join(root, CONSOLE_DIR), consoleDir);
    built.push('console');
  }
  const templateFile = path.join(dist, 'postgres-template.tar.gz');
  if (stamp.postgres !== next.postgres || !fs.existsSync(templateFile)) {
    execFileSync(process.execPath, [path.join(root, 'src/tools/postgres-template.mjs'), templateFile]);
    built.push('postgres template');
  }
  // The compiled code depends only on bundles, but running them requires the kernels.
  if (!hasCode(dist, process.version)) {
    await keepCode(dist);
    if (built.length === 0) built.push('compiled code');
  }
  if (built.length > 0) fs.writeFileSync(stampFile, JSON.stringify(next));
  return built;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildIfStale();
  console.log(built.length > 0 ? `built ${built.join(' and ')}` : 'up to date');
}
