/** Bundles run with their compiled code, and without it if it is missing, damaged or of another version of V8. */
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import t from 'tap';

const builtFile = (name: string): string => fileURLToPath(new URL(`../../src/${name}`, import.meta.url));
const load = createRequire(import.meta.url)(builtFile('load.cjs')) as (file: string) => unknown;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-load-'));
t.teardown(() => fs.rmSync(dir, { recursive: true }));
const SOURCE = `exports.sum = (a, b) => a + b; exports.at = __filename; exports.name = require('node:path').sep;`;

t.test(
  'a bundle has the same exports with its compiled code, without it and with damaged code',
  async (t) => {
    const file = path.join(dir, 'bundle.cjs');
    fs.writeFileSync(file, SOURCE);
    const script = new vm.Script(Module.wrap(SOURCE), { filename: file });
    const code = script.createCachedData();
    const codeFile = `${file}.${process.version}.code`;
    const damaged = Buffer.from(code);
    damaged[damaged.length >> 1] ^= 1;
    const codes = { none: null, whole: code, empty: code.subarray(0, 0), cut: code.subarray(0, 50), damaged };
    for (const [what, bytes] of Object.entries(codes)) {
      if (bytes === null) fs.rmSync(codeFile, { force: true });
      else fs.writeFileSync(codeFile, bytes);
      const { sum, at, name } = load(file) as { sum(a: number, b: number): number; at: string; name: string };
      t.strictSame([sum(2, 3), at, name], [5, file, path.sep], what);
    }
  },
);

t.test('V8 accepts the compiled code of the build', async (t) => {
  for (const name of ['main.cjs', 'worker/entry.cjs']) {
    const file = builtFile(name);
    const cachedData = fs.readFileSync(`${file}.${process.version}.code`);
    const script = new vm.Script(Module.wrap(fs.readFileSync(file, 'utf8')), { filename: file, cachedData });
    t.equal(script.cachedDataRejected, false, name);
  }
});
