/** The documents agree with the code: error codes, file formats, packages, and the repository's own files. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { ERRORS } from '../../src/base/index.js';
import { FLOORS } from './rules.js';
import { directoriesUnder, exists, filesUnder, lineOf, ROOT, read, sources } from './source.js';
import { between, cellsOf, generatedTables, TABLE_PAGES, type TableName } from './tables.js';

const isCode = (code: number): boolean => Object.hasOwn(ERRORS, code);
const documents = filesUnder('').filter((file) => file.endsWith('.md'));

t.test('every error code that the sources throw or that a comment names is in the table', async (t) => {
  const unknown: string[] = [];
  let thrown = 0;
  let promised = 0;
  for (const { file, tree } of sources()) {
    const check = (node: ts.Node, value: ts.Expression | undefined): void => {
      if (value === undefined || !ts.isNumericLiteral(value)) return;
      thrown++;
      if (!isCode(Number(value.text))) unknown.push(`${file}:${lineOf(tree, node)} ${value.text}`);
    };
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) && node.expression.getText(tree) === 'QuarryError')
        check(node, node.arguments?.[0]);
      if (ts.isPropertyAssignment(node) && node.name.getText(tree) === 'code') check(node, node.initializer);
      ts.forEachChild(node, visit);
    };
    visit(tree);
    for (const [, list] of tree.text.matchAll(
      /\b(?:Throws|Rejects with|refused with|code)\b((?:[^.\n]*?\b[1-9]\d{3}\b)+)/g,
    )) {
      for (const [code] of list.matchAll(/\b[1-9]\d{3}\b/g)) {
        promised++;
        if (!isCode(Number(code))) unknown.push(`${file}: ${list.trim()}`);
      }
    }
  }
  t.ok(thrown > 50 && promised > 20, `${thrown} thrown, ${promised} promised`);
  t.strictSame(unknown, []);
});

t.test('every error code that a document names is in the table', async (t) => {
  const unknown: string[] = [];
  for (const file of documents) {
    for (const [said, code] of read(file).matchAll(
      /\b(?:codes?|errors?|throws|answers|refuses with) (\d{3,4})\b/gi,
    )) {
      if (!isCode(Number(code))) unknown.push(`${file}: ${said}`);
    }
  }
  t.strictSame(unknown, []);
});

t.test('the tables generated from the code are up to date', async (t) => {
  for (const [name, table] of Object.entries(generatedTables())) {
    const page = TABLE_PAGES[name as TableName];
    const shown = between(read(page), name) ?? '';
    t.strictSame(cellsOf(shown), cellsOf(table), `${page}, <!-- ${name} -->; npm run docs:tables writes it`);
    const pages = documents.filter((file) => between(read(file), name) !== null);
    t.strictSame(pages, [page], `<!-- ${name} --> is in one document`);
  }
});

t.test('packages are named by exact versions, and the lock file agrees', async (t) => {
  for (const dir of ['', 'native-bench/', 'src/tools/node22/']) {
    if (dir !== '' && !exists(`${dir}package.json`)) continue;
    const own = JSON.parse(read(`${dir}package.json`));
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    for (const kind of kinds) {
      for (const [name, version] of Object.entries(own[kind] ?? {})) {
        t.match(version, /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/, `${dir}${name} ${version}`);
      }
    }
    if (dir !== '' && !exists(`${dir}package-lock.json`)) continue;
    const lock = JSON.parse(read(`${dir}package-lock.json`));
    for (const key of ['name', 'version', ...kinds])
      t.strictSame(lock.packages[''][key], own[key], `${dir}${key} in the lock`);
    const packages = Object.entries(
      lock.packages as Record<string, { optionalDependencies?: object; link?: boolean }>,
    );
    const unlocked = packages.flatMap(([, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages.some(([at]) => at.endsWith(`node_modules/${name}`)),
      ),
    );
    t.strictSame(
      unlocked,
      [],
      `${dir}packages for other platforms are locked too, because npm ci requires them`,
    );
    const resolved = packages.filter(([, { link }]) => link !== true);
    t.notMatch(JSON.stringify(resolved), /"resolved"|registry\./, `${dir}no host of a registry`);
  }
});

t.test('packages that are made for Linux on x86-64 are locked with their hashes', async (t) => {
  interface Locked {
    readonly os?: string | readonly string[];
    readonly cpu?: string | readonly string[];
    readonly integrity?: string;
  }
  for (const file of ['package-lock.json', 'src/tools/node22/package-lock.json']) {
    const { packages } = JSON.parse(read(file)) as { packages: Record<string, Locked> };
    const native = Object.entries(packages).filter(
      ([name, { os = [], cpu = [] }]) =>
        os.includes('linux') && cpu.includes('x64') && !name.includes('musl'),
    );
    t.ok(native.length > 0, `${native.length} packages`);
    for (const [name, { integrity }] of native) t.match(integrity, /^sha512-/, `${file}: ${name}`);
  }
});

t.test('the files that every repository needs exist', async (t) => {
  for (const file of [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'LICENSE',
    '.ci/run',
    'package-lock.json',
  ]) {
    t.ok(exists(file), file);
  }
  t.match(read('LICENSE'), /Apache License\s+Version 2\.0/);
  t.equal(JSON.parse(read('package.json')).license, 'Apache-2.0');
  t.ok(fs.statSync(path.join(ROOT, '.ci/run')).mode & 0o100, '.ci/run is executable');
});

t.test(
  'ARCHITECTURE.md names every folder of src and every kind of test, and only existing files',
  async (t) => {
    const text = read('ARCHITECTURE.md');
    for (const name of directoriesUnder('src'))
      t.match(text, `\`src/${name}/\``, `src/${name}/ is in the code map`);
    // Folders that mirror a floor of src need no line of their own.
    for (const name of directoriesUnder('test').filter((name) => FLOORS[name] === undefined)) {
      t.match(text, `\`test/${name}/\``, `test/${name}/ is explained`);
    }
  },
);

t.test('a file that a document names in code font exists', async (t) => {
  // test/crash/README.md names files of its own folder only; files that a run writes do not exist.
  for (const document of documents.filter((file) => file !== 'CHANGELOG.md')) {
    for (const [, file] of read(document).matchAll(
      /`((?:src|test|native-bench|data|docs|deploy)\/[\w./-]*)`/g,
    )) {
      if (file !== 'data/store') t.ok(exists(file), `${document}: ${file} exists`);
    }
  }
});

t.test('the floors in ARCHITECTURE.md are those that the import rules enforce', async (t) => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| (\d+) +\| `src\/([\w.]+)\/?` +\|/gm)];
  const documented = rows.map(([, floor, name]) => [name, Number(floor)]);
  t.strictSame(Object.fromEntries(documented), FLOORS);
  t.equal(documented.length, Object.keys(FLOORS).length, 'each folder has one row');
});

t.test("ARCHITECTURE.md's table of libraries names every package of the product", async (t) => {
  const [, table = ''] = read('ARCHITECTURE.md').split('\n## Libraries\n');
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    // The packages of one family share a row.
    const [family] = name.replace(/^@codemirror\//, 'codemirror/').split('/', name.startsWith('@') ? 2 : 1);
    t.ok(table.includes(name) || table.includes(family), `${name} has a row`);
  }
});

t.test(
  'docs/security.md names every package of the product that is platform-specific or runs an installation script',
  async (t) => {
    interface Locked {
      readonly os?: readonly string[];
      readonly cpu?: readonly string[];
      readonly hasInstallScript?: boolean;
      readonly dev?: boolean;
    }
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const text = read('docs/security.md');
    const native = Object.entries(packages).filter(
      ([, { os, cpu, hasInstallScript, dev }]) =>
        dev !== true && (os ?? cpu ?? hasInstallScript) !== undefined,
    );
    t.ok(native.length > 10, `${native.length} packages`);
    const families = native.map(([path]) => {
      const [, name = ''] = /.*node_modules\/(.+)$/.exec(path) ?? [];
      return name.replace(
        /([-/])(?:aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)\b.*$/,
        '$1',
      );
    });
    for (const family of new Set(families)) t.ok(text.includes(family), `${family} is named`);
  },
);

t.test(
  'no file is large, and no file mentions open tasks or the machine on which it was written',
  async (t) => {
    const machine = /(?:^|[\s"'`(=:])\/(?:work|root|home|Users|builds?|workspace)\/[\w.-]/m;
    // In parts, so that this file does not contain them.
    const words = ['TO-DO', 'FIX-ME', 'help-er', 'help-ers'].map((word) => word.replace('-', ''));
    const marks = new RegExp(`\\b(?:${words.join('|')})\\b|(?:\\/\\/|\\*)[^\\n]*\\b${'X'.repeat(3)}\\b`, 'i');
    t.match(`see ${['', 'home', 'me'].join('/')}`, machine);
    t.match(`// ${words[0]}: later`, marks);
    for (const file of filesUnder('')) {
      const bytes = fs.statSync(path.join(ROOT, file)).size;
      if (bytes > 2 ** 20) t.fail(`${file} has ${bytes} bytes`);
      if (!/\.(ts|mjs|md|json|toml|sh)$|\.ci\/run$/.test(file) || file.startsWith('data/')) continue;
      const text = read(file);
      const match = machine.exec(text);
      if (match !== null) t.fail(`${file} names a path of one machine: ${match[0].trim()}`);
      // A function of Elasticsearch's client has one of the words in its name.
      const mark = /^(src|test)\//.test(file)
        ? marks.exec(text.replaceAll(`client.${words[3]}.bulk(`, ''))
        : null;
      if (mark !== null) t.fail(`${file} holds ${mark[0]}`);
    }
  },
);
