/**
 * Applies rules.ts to all of src: the direction of imports, and where state, packages, files and the environment may be
 * used. Each rule is first applied to a breach, which proves that it can find one.
 */
import t from 'tap';
import * as rules from './rules.js';
import { exists, parse, read, type Source, sources } from './source.js';

const all = sources();

function finds(
  rule: (source: ReturnType<typeof parse>) => readonly string[],
  file: string,
  text: string,
): boolean {
  return rule(parse(file, text)).length > 0;
}

t.test('files import only lower floors, through their index.ts', async (t) => {
  t.ok(finds(rules.floorBreaches, 'src/base/x.ts', `import { a } from '../schema/index.js';`));
  t.ok(finds(rules.floorBreaches, 'src/schema/x.ts', `export * from '../io/index.js';`), 'same floor');
  t.ok(
    finds(rules.floorBreaches, 'src/api/x.ts', `import type { a } from '../engine/index.js';`),
    'types too',
  );
  t.ok(finds(rules.floorBreaches, 'src/api/x.ts', `const a = await import('../http/index.js');`), 'dynamic');
  t.ok(
    finds(rules.floorBreaches, 'src/http/x.ts', `import { a } from '../base/clock.js';`),
    'not through index.ts',
  );
  t.ok(finds(rules.floorBreaches, 'src/novel/x.ts', ''), 'a folder without a floor');
  t.notOk(finds(rules.floorBreaches, 'src/http/handlers/x.ts', `import { a } from '../../base/index.js';`));
  t.ok(all.length > 100, `${all.length} files`);
  t.strictSame(all.flatMap(rules.floorBreaches), []);
});

t.test(
  'the client and the console import the interface, which imports neither the server nor Node',
  async (t) => {
    t.ok(finds(rules.floorBreaches, 'src/client/x.ts', `import type { a } from '../api/index.js';`));
    t.ok(finds(rules.floorBreaches, 'src/client/x.ts', `import type { a } from '../interface/model.js';`));
    t.ok(finds(rules.floorBreaches, 'src/console/x.ts', `import { a } from '../client/quarry.js';`));
    t.notOk(
      finds(rules.floorBreaches, 'src/console/x.ts', `import { a } from '../client/transport/index.js';`),
    );
    t.ok(finds(rules.floorBreaches, 'src/console/x.ts', `import '../client/transport/node-fetch.js';`));
    t.notOk(finds(rules.floorBreaches, 'src/commands/x.ts', `import '../client/transport/node-fetch.js';`));
    t.ok(finds(rules.floorBreaches, 'src/http/x.ts', `import { a } from '../client/transport/index.js';`));
    t.ok(finds(rules.floorBreaches, 'src/interface/x.ts', `import { a } from '../base/index.js';`));
    t.notOk(
      finds(rules.floorBreaches, 'src/console/query/x.ts', `import { a } from '../../interface/index.js';`),
    );
    t.notOk(finds(rules.floorBreaches, 'src/interface/x.ts', `import { a } from '../base/limits.js';`));
    t.ok(finds(rules.interfaceBreaches, 'src/interface/x.ts', `import fs from 'node:fs';`));
    t.ok(finds(rules.interfaceBreaches, 'src/base/limits.ts', `import { a } from './clock.js';`));
    t.strictSame(all.flatMap(rules.interfaceBreaches), []);
  },
);

t.test('relative imports name existing files', async (t) => {
  const missing = all.flatMap(({ file, imports }) =>
    imports
      .filter(({ target }) => target !== null && !exists(target))
      .map(({ line, target }) => `${file}:${line} ${target}`),
  );
  t.strictSame(missing, []);
});

t.test('imports have no cycles', async (t) => {
  const ring = [parse('src/a/a.ts', `import './b.js';`), parse('src/a/b.ts', `export type * from './a.js';`)];
  t.strictSame(rules.cycle(ring), ['src/a/a.ts', 'src/a/b.ts', 'src/a/a.ts']);
  t.equal(rules.cycle(all), null);
});

t.test('a library is imported in the files that the rules name for it, and nowhere else', async (t) => {
  t.ok(finds(rules.libraryBreaches, 'src/storage/x.ts', `import { Field } from 'apache-arrow/schema';`));
  t.ok(finds(rules.libraryBreaches, 'src/http/x.ts', `import type { Packr } from 'msgpackr';`));
  t.ok(finds(rules.libraryBreaches, 'src/http/x.ts', `import { pino } from 'pino';`));
  t.notOk(finds(rules.libraryBreaches, 'src/http/x.ts', `import type { Logger } from 'pino';`));
  t.strictSame(all.flatMap(rules.libraryBreaches), []);
  for (const [name, paths] of Object.entries(rules.LIBRARY_FILES)) {
    for (const path of paths) {
      const importers = all.filter(({ imports }) =>
        imports.some(({ specifier }) => rules.packageOf(specifier) === name),
      );
      t.ok(
        importers.some(({ file }) => rules.isIn(file, [path])),
        `${path} imports ${name}`,
      );
    }
  }
});

t.test(
  'every package that src imports is a dependency whose files the rules name, and src imports every production dependency',
  async (t) => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const outside = new Set(['esbuild', 'assemblyscript', 'typescript', '@vercel/nft', 'postject']);
    const packagesOf = (files: readonly Source[]): Set<string> =>
      new Set(
        files.flatMap(({ imports }) =>
          imports
            .filter(({ specifier }) => !/^(\.|node:|virtual:)/.test(specifier))
            .map(({ specifier }) => rules.packageOf(specifier)),
        ),
      );
    const isServer = ({ file }: Source): boolean => !/^src\/(tools|console)\//.test(file);
    const serving = packagesOf(all.filter(isServer));
    t.strictSame(
      Object.keys(dependencies).filter((name) => !serving.has(name)),
      [],
      'packages that only the build uses are development dependencies',
    );
    for (const name of packagesOf(all)) {
      t.ok(
        dependencies[name] ?? (serving.has(name) ? undefined : devDependencies[name]),
        `${name} is a dependency`,
      );
      t.ok(
        rules.LIBRARY_FILES[name] !== undefined || outside.has(name),
        `the rules name the files of ${name}`,
      );
    }
  },
);

t.test('only io and the files listed with a reason touch the disk', async (t) => {
  t.ok(finds(rules.fileSystemBreaches, 'src/wal/x.ts', `import fs from 'node:fs/promises';`));
  t.strictSame(all.flatMap(rules.fileSystemBreaches), []);
  for (const file of Object.keys(rules.FILE_SYSTEM_USERS)) {
    t.ok(
      all.find((source) => source.file === file)?.imports.some(({ specifier }) => specifier === 'node:fs'),
      `${file} is listed and accesses the disk`,
    );
  }
});

t.test('only main.ts and the test runner read process.env', async (t) => {
  t.ok(finds(rules.environmentBreaches, 'src/http/x.ts', 'const port = process.env.PORT;'));
  t.strictSame(all.flatMap(rules.environmentBreaches), []);
});

t.test('only main.ts and the worker entry have mutable state', async (t) => {
  t.ok(finds(rules.stateBreaches, 'src/base/x.ts', 'let count = 0;'));
  t.ok(finds(rules.stateBreaches, 'src/base/x.ts', 'export const names = new Set<string>();'));
  t.ok(finds(rules.stateBreaches, 'src/base/x.ts', 'const seen = new Map();\nseen.set(1, 2);'));
  t.ok(finds(rules.stateBreaches, 'src/base/x.ts', 'const table = new Uint32Array(9);\ntable[1] = 2;'));
  t.notOk(finds(rules.stateBreaches, 'src/base/x.ts', `export const WORDS: readonly string[] = ['a'];`));
  t.strictSame(all.flatMap(rules.stateBreaches), []);
});
