/** Builds the client for programs and browsers: a few JavaScript files and their type declarations. */
import fs from 'node:fs';
import path from 'node:path';

/** The first file loads the second one, only in Node. */
const ENTRIES = ['src/client/index.ts', 'src/client/transport/node-fetch.ts'];
/** Folder of the declarations of the first file, and of all sources whose types it uses. */
const TYPES = 'types';
/** Optional packages; the types of an absent one are `any`. */
const OPTIONAL_IMPORT = /^import type .* from 'apache-arrow';$/gm;

/** Keeps imports of packages out of the bundle. */
export async function buildClient(root, outDir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ENTRIES.map((file) => path.join(root, file)),
    outdir: outDir,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    external: ['apache-arrow', 'node:*'],
    logLevel: 'warning',
  });
}

/** Writes the declarations below `outDir`. Throws when the sources have type errors. */
export async function buildClientTypes(root, outDir) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([path.join(root, ENTRIES[0])], {
    ...options,
    incremental: false,
    tsBuildInfoFile: undefined,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: path.join(root, 'src'),
    outDir: path.join(outDir, TYPES),
  });
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text.replace(OPTIONAL_IMPORT, '// @ts-ignore: an optional package\n$&'));
  };
  const { diagnostics } = program.emit(undefined, write);
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(
    ({ messageText, file }) =>
      `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
  if (errors.length > 0) throw new Error(errors.join('\n'));
}
