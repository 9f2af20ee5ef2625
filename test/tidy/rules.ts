/** The rules of ARCHITECTURE.md for imports, use of packages and state, as data and as functions that find breaches. */
import ts from 'typescript';
import { lineOf, type Source } from './source.js';

/** A folder may import only folders of a strictly lower floor; folders of one floor do not see each other. */
export const FLOORS: Readonly<Record<string, number>> = {
  base: 0,
  interface: 0,
  schema: 1,
  regex: 1,
  io: 1,
  kernels: 2,
  column: 3,
  vector: 3,
  answer: 4,
  format: 4,
  ingest: 4,
  catalog: 4,
  ir: 4,
  api: 5,
  sql: 5,
  expression: 5,
  protocol: 5,
  storage: 5,
  wal: 5,
  openapi: 6,
  plan: 6,
  exec: 6,
  recovery: 6,
  engine: 7,
  worker: 7,
  inspect: 7,
  http: 8,
  pg: 8,
  commands: 9,
  'main.ts': 10,
};

/** The build tools, the client and the web console, which import nothing of the server except src/interface. */
export const OUTSIDE = ['tools', 'console', 'client'];

/** The files of src/client that other folders import: whoever sends requests to a server does so by the one transport. */
const TRANSPORT_USERS: Readonly<Record<string, readonly string[]>> = {
  'src/client/transport/index.ts': ['commands', 'console'],
  'src/client/transport/node-fetch.ts': ['commands'],
};

/** The only files (or folders, ending in `/`) that may import each library. */
export const LIBRARY_FILES: Readonly<Record<string, readonly string[]>> = {
  'apache-arrow': ['src/client/', 'src/column/', 'src/commands/export/', 'src/commands/import/'],
  msgpackr: ['src/format/'],
  'lz4-napi': ['src/format/lz4.ts', 'src/commands/import/formats/arrow.ts'],
  'node-sql-parser': ['src/sql/'],
  re2js: ['src/regex/regex.ts'],
  piscina: ['src/engine/workers/worker-client.ts'],
  koffi: ['src/commands/serve/returned-memory.ts', 'src/http/transport/receive-buffer.ts'],
  'uWebSockets.js': ['src/http/transport/uws.ts'],
  'prom-client': ['src/http/observability/metrics.ts'],
  pino: ['src/main.ts'],
  selfsigned: ['src/http/transport/certificate.ts'],
  'smol-toml': ['src/commands/serve/serve-config.ts', 'src/commands/serve/limits-file.ts'],
  hyparquet: ['src/commands/import/'],
  'hyparquet-compressors': ['src/commands/import/formats/parquet-file.ts'],
  'parquet-wasm': [
    'src/commands/import/formats/parquet-batches.ts',
    'src/commands/export/parquet-bytes.ts',
    'src/http/parquet/parquet-messages.ts',
  ],
  fzstd: ['src/commands/import/', 'src/http/transport/zstd.ts'],
  '@hpcc-js/wasm-zstd': ['src/commands/export/compress.ts'],
  '@electric-sql/pglite': ['src/pg/catalog/thread.ts', 'src/tools/postgres-template.mjs'],
  'cli-progress': ['src/commands/progress.ts'],
  preact: ['src/console/'],
  uplot: ['src/console/charts/times.tsx', 'src/console/charts/lines.tsx'],
  'd3-geo': ['src/console/charts/map.tsx'],
  codemirror: ['src/console/parts/editor.tsx'],
  '@codemirror/autocomplete': ['src/console/parts/editor.tsx'],
  '@codemirror/state': ['src/console/parts/editor.tsx'],
  '@codemirror/view': ['src/console/parts/editor.tsx'],
  'topojson-client': ['src/tools/console/map.mjs'],
  'hyparquet-writer': ['src/console/answer/parquet.ts'],
  vite: ['src/tools/console/build.mjs'],
};

/** Packages whose types may be named elsewhere: a logger is an argument, its type is pino's. */
export const TYPES_ANYWHERE = ['pino'];

/** Files outside io/ that may access the disk directly, and why. */
export const FILE_SYSTEM_USERS: Readonly<Record<string, string>> = {
  'src/main.ts': 'reads the config file and the cgroup limits, writes fatal errors to descriptor 2',
  'src/commands/bench/server.ts': 'makes and removes the temporary data directory, reads the keys made in it',
  'src/commands/demo/demo-command.ts':
    'makes and removes the temporary data directory, reads the keys made in it',
  'src/http/parquet/thread.ts': "reads the package's WebAssembly",
  'src/tools/binary/build.mjs': 'the build of the executable',
  'src/tools/binary/day.mjs': 'creates the empty folder in which the executable is tested',
  'src/tools/build.mjs': 'the build',
  'src/tools/client/build.mjs': 'writes the declarations of the client',
  'src/tools/client/package.mjs': 'removes the packed files',
  'src/tools/bundle/build.mjs': 'creates the data directory of the server whose compiled code is stored',
  'src/tools/console/build.mjs': 'the build of the console',
  'src/tools/console/map.mjs': 'reads the maps that the console draws on',
  'src/tools/node22/node22.mjs': 'installs the native part of uWebSockets.js for Node 22',
  'src/tools/postgres-template.mjs': 'writes a file of the build',
  'src/tools/test.mjs': 'lists the test files',
};

/** The worker's entry and main may hold state: each runs once. Everything else may be loaded by every thread. */
export const STATE_HOLDERS = ['src/main.ts', 'src/worker/entry.ts'];

/** Files that src/interface may import: they import nothing themselves, so that the client and browsers can load it. */
export const LEAVES = ['src/base/limits.ts', 'src/base/errors.ts'];
const INTERFACE_ENTRY = 'src/interface/index.ts';

const folderOf = (file: string): string => file.split('/')[1];
/** Whether `paths` contains the file or a folder above it. */
export const isIn = (file: string, paths: readonly string[]): boolean =>
  paths.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)));

/** `apache-arrow` of 'apache-arrow/enum', `@a/b` of '@a/b/c'. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

export function floorBreaches({ file, imports }: Source): string[] {
  const from = folderOf(file);
  if (FLOORS[from] === undefined && !OUTSIDE.includes(from)) return [`${file}: ${from} has no floor`];
  const found: string[] = [];
  for (const { target, line } of imports) {
    if (target === null) continue;
    const to = folderOf(target);
    const position = `${file}:${line}`;
    if (to === from) continue;
    if (from === 'interface' && LEAVES.includes(target)) continue;
    if (TRANSPORT_USERS[target]?.includes(from)) continue;
    if (OUTSIDE.includes(from)) {
      if (target !== 'src/main.ts' && (target !== INTERFACE_ENTRY || from === 'tools'))
        found.push(`${position} imports ${target}, but ${from} is outside the floors`);
    } else if (FLOORS[to] === undefined) found.push(`${position} imports ${target}, which has no floor`);
    else if (FLOORS[to] >= FLOORS[from]) {
      found.push(`${position} (floor ${FLOORS[from]}) imports ${target} (floor ${FLOORS[to]})`);
    } else if (target !== `src/${to}/index.ts` && to !== 'commands') {
      found.push(`${position} imports ${target} instead of src/${to}/index.ts`);
    }
  }
  return found;
}

/** Packages and modules of Node in src/interface, and imports of any kind in the files that it imports. */
export function interfaceBreaches({ file, imports }: Source): string[] {
  if (LEAVES.includes(file))
    return imports.map(({ specifier, line }) => `${file}:${line} imports ${specifier}`);
  if (!file.startsWith('src/interface/')) return [];
  return imports
    .filter(({ target }) => target === null)
    .map(({ specifier, line }) => `${file}:${line} imports ${specifier}`);
}

export function libraryBreaches({ file, imports }: Source): string[] {
  const found: string[] = [];
  for (const { specifier, typeOnly, line } of imports) {
    const name = packageOf(specifier);
    if (LIBRARY_FILES[name] === undefined || isIn(file, LIBRARY_FILES[name])) continue;
    if (typeOnly && TYPES_ANYWHERE.includes(name)) continue;
    found.push(`${file}:${line} imports ${specifier}; only ${LIBRARY_FILES[name].join(', ')} may`);
  }
  return found;
}

export function fileSystemBreaches({ file, imports }: Source): string[] {
  if (file.startsWith('src/io/') || FILE_SYSTEM_USERS[file] !== undefined) return [];
  return imports
    .filter(({ specifier }) => /^(node:)?fs(\/promises)?$/.test(specifier))
    .map(({ specifier, line }) => `${file}:${line} imports ${specifier}`);
}

/** The test runners pass their environment on. */
const ENVIRONMENT_READERS = ['src/main.ts', 'src/tools/node22/node22.mjs', 'src/tools/test-files.mjs'];

export function environmentBreaches({ file, tree }: Source): string[] {
  if (ENVIRONMENT_READERS.includes(file)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && node.getText(tree) === 'process.env') {
      found.push(`${file}:${lineOf(tree, node)} reads process.env`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const MUTATORS =
  'set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|writeUInt32LE|writeBigUInt64LE';
const COLLECTIONS = /^new (Map|Set|WeakMap|WeakSet|Array)\b|^\[/;
const READ_ONLY_TYPE = /^readonly |^Readonly/;

/** `let` and `var` at the top of a module, exported mutable collections, and private collections that are changed. */
export function stateBreaches({ file, tree }: Source): string[] {
  if (STATE_HOLDERS.includes(file) || file.startsWith('src/tools/')) return [];
  const found: string[] = [];
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const position = `${file}:${lineOf(tree, statement)}`;
    if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) {
      found.push(`${position} declares a variable that can be reassigned`);
      continue;
    }
    const exported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    for (const { name, type, initializer } of statement.declarationList.declarations) {
      const value = initializer?.getText(tree) ?? '';
      const readOnly = READ_ONLY_TYPE.test(type?.getText(tree) ?? '') || value.endsWith('as const');
      if (exported && COLLECTIONS.test(value) && !readOnly) {
        found.push(`${position} exports ${name.getText(tree)}, which any importer can change`);
      }
      const change = new RegExp(
        `(?<![\\w.#])${name.getText(tree)}(\\.(${MUTATORS})\\(|\\[[^\\]]+\\] *([-+*/|&^]|<<|>>)?=[^=>])`,
      );
      if (ts.isIdentifier(name) && change.test(tree.text)) {
        found.push(`${position} ${name.text} is changed: ${change.exec(tree.text)?.[0]}`);
      }
    }
  }
  return found;
}

/** The files of one cycle of imports, or null. */
export function cycle(all: readonly Source[]): readonly string[] | null {
  const targets = new Map(
    all.map(({ file, imports }) => [file, imports.flatMap(({ target }) => target ?? [])]),
  );
  const done = new Set<string>();
  const walk = (file: string, above: readonly string[]): readonly string[] | null => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const target of targets.get(file) ?? []) {
      const found = walk(target, [...above, file]);
      if (found !== null) return found;
    }
    done.add(file);
    return null;
  };
  for (const { file } of all) {
    const found = walk(file, []);
    if (found !== null) return found;
  }
  return null;
}
