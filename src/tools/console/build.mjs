/**
 * Builds the console (src/console) into dist/console with Vite: one page and hashed assets, each also compressed as br and
 * gz. Invariant: the folder is always complete, because it is written under another name and then renamed.
 */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { mapOutlines } from './map.mjs';

/** The module that exports the address of the map's outlines. */
const MAP_MODULE = 'virtual:map';
/** Smaller files are not compressed, because that saves nothing. */
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
      // Data URLs would require an exception in the content security policy.
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
