/**
 * Builds the console (src/console) into dist/console by Vite: one page, hashed assets, each beside its br and gz forms.
 * Invariant: the folder is whole whenever it has its name: it is written under another one, and renamed.
 */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { mapOutlines } from './map.mjs';

/** The module that gives the address of the map's outlines. */
const MAP_MODULE = 'virtual:map';
/** Below this, packing saves nothing. */
const PACKED_BYTES_MIN = 512;

function mapPlugin() {
  return {
    name: 'map-outlines',
    resolveId: (id) => (id === MAP_MODULE ? `\0${MAP_MODULE}` : null),
    load(id) {
      if (id !== `\0${MAP_MODULE}`) return null;
      const source = JSON.stringify(mapOutlines());
      const reference = this.emitFile({ type: 'asset', name: 'map.json', source });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}

function packBeside(dir) {
  for (const name of fs.readdirSync(dir, { recursive: true })) {
    const file = path.join(dir, name);
    if (!fs.statSync(file).isFile()) continue;
    const bytes = fs.readFileSync(file);
    if (bytes.length < PACKED_BYTES_MIN) continue;
    fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes));
    fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
  }
}

export async function buildConsole(sourceDir, outDir) {
  const { build } = await import('vite');
  const beside = `${outDir}.${process.pid}`;
  await build({
    root: sourceDir,
    configFile: false,
    envFile: false,
    base: '/console/',
    publicDir: false,
    logLevel: 'warn',
    plugins: [mapPlugin()],
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
      outDir: beside,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      // Data addresses would need a hole in the policy of what a page may load.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  packBeside(beside);
  const before = `${beside}.before`;
  if (fs.existsSync(outDir)) fs.renameSync(outDir, before);
  fs.renameSync(beside, outDir);
  fs.rmSync(before, { recursive: true, force: true });
}
