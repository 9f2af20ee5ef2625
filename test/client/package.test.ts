/** The client as a package: packed, installed in a project without the rest of Quarry, compiled and run there. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { ROOT } from '../tidy/source.js';
import { serveClients } from './site.js';

const run = promisify(execFile);
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** Uses the exports of the client: a query, a write, an error and the types of all three. */
const PROGRAM = `
import { Quarry, QuarryError, type QuarryOptions } from 'quarry-client';

export async function useQuarry(options: QuarryOptions): Promise<{ dimensions: string[]; count: number; code: number }> {
  const quarry = new Quarry(options);
  await quarry.createColumns({ name: 'size', type: 'integer' });
  await quarry.insert({ a: { size: 1 }, b: { size: 2 } });
  const counts: Record<string, number> = await quarry.count({ 'query-name': 'large', query: [{ size: { gte: 2 } }] });
  const code: number = await quarry.query('SELECT nothing FROM [default]').then(
    () => 0,
    (error: unknown) => (error instanceof QuarryError ? error.code : -1),
  );
  const dimensions = await quarry.dimensions();
  return { dimensions: [...dimensions], count: counts.large ?? -1, code };
}

// @ts-expect-error: the declarations are found, and strict
new Quarry({ url: 1 });
`;

/** A project that has the packed client in node_modules and no other package. */
async function projectWithClient(t: Test): Promise<string> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-package-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const npm = ['npm', 'pack', '--silent', '-w', 'src/client', '--pack-destination', dir];
  await run('env', npm, { cwd: ROOT });
  const [tarball] = fs.readdirSync(dir);
  t.match(tarball, /^quarry-client-\d+\.\d+\.\d+\.tgz$/);
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('env', ['npm', 'install', '--silent', '--offline', '--no-audit', `./${tarball}`], { cwd: dir });
  return dir;
}

t.test('the packed client compiles under tsc --strict and sends requests to a server', async (t) => {
  const site = await serveClients(t);
  const dir = await projectWithClient(t);
  t.strictSame(
    fs.readdirSync(path.join(dir, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['quarry-client'],
    'it needs no other package',
  );
  fs.writeFileSync(path.join(dir, 'program.ts'), PROGRAM);
  for (const [module, resolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    const flags = [
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'ES2022',
      '--lib',
      'ES2023,DOM,DOM.Iterable',
    ];
    const modules = ['--module', module, '--moduleResolution', resolution];
    const { stdout } = await run(process.execPath, [TSC, ...flags, ...modules, 'program.ts'], {
      cwd: dir,
    }).catch((error) => error);
    t.equal(stdout, '', `types, resolved as ${resolution} does`);
  }
  const program = `
    const { useQuarry } = await import('./program.js');
    process.stdout.write(JSON.stringify(await useQuarry(JSON.parse(process.argv[1]))));`;
  // Running the program would also run its last line, which is only for the compiler.
  const file = path.join(dir, 'program.js');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('new Quarry({ url: 1 });', ''));
  const options = JSON.stringify({ url: site.url, key: site.keys.master, ca: site.ca });
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, options], {
    cwd: dir,
  });
  t.strictSame(JSON.parse(stdout), { dimensions: ['default'], count: 1, code: 6000 });
});

t.test('packing leaves no files', (t) => {
  t.notOk(fs.existsSync(path.join(ROOT, 'src/client/dist')));
  t.end();
});
