/** Tests mirror src: the test of a source has the same path below test/, and every test has a source. */
import t from 'tap';
import { FLOORS, OUTSIDE } from './rules.js';
import { directoriesUnder, exists, filesUnder } from './source.js';

/** Test folders other than floors: kinds of tests that use the whole server, and shared code. */
const BESIDE = [
  'behaviour',
  'binary',
  'browser',
  'conformance',
  'console',
  'crash',
  'demo',
  'fuzz',
  'metamorphic',
  'native-bench',
  'readme',
  'segments',
  'sqllogictest',
  'support',
  'tidy',
];

/** Tests of a whole folder, each with its own oracle. */
const WHOLE_FOLDER = [
  'api/binding-time',
  'api/conformance',
  'api/generated',
  'client/package',
  'exec/window/window-duckdb',
  'exec/scan/slices',
  'http/column-whitelist',
  'http/matrix',
  'ingest/refusals',
  'openapi/answers',
  'pg/hostile',
  'pg/tools/clients',
  'pg/tools/foreign-data',
  'pg/tools/statements',
  'sql/bind/binding-time',
];

t.test('every folder of tests is a floor of src, or a named kind of test', async (t) => {
  const known = new Set([...Object.keys(FLOORS), ...OUTSIDE, ...BESIDE]);
  t.strictSame(
    directoriesUnder('test').filter((name) => !known.has(name)),
    [],
  );
});

t.test('every test of a floor has a source with the same path', async (t) => {
  const tests = filesUnder('test')
    .filter((file) => file.endsWith('.test.ts') && !BESIDE.includes(file.split('/')[1]))
    .map((file) => file.slice('test/'.length, -'.test.ts'.length));
  t.ok(tests.length > 40, `${tests.length} tests`);
  const files = filesUnder('src');
  // A source may be in a folder of its floor (kernels/js/bits.ts), or be such a folder (http/handlers); its test may be
  // in the same folder or in that of the floor.
  const hasSource = (name: string): boolean => {
    const [floor, stem, ...inside] = name.split('/');
    if (inside.length > 0) return exists(`src/${name}.ts`) || exists(`src/${name}`);
    return (
      exists(`src/${name}`) ||
      files.some((file) => file.startsWith(`src/${floor}/`) && file.endsWith(`/${stem}.ts`))
    );
  };
  const orphans = tests.filter((name) => !hasSource(name) && !WHOLE_FOLDER.includes(name));
  t.strictSame(orphans, []);
  for (const name of WHOLE_FOLDER) t.ok(tests.includes(name), `${name} is listed and exists`);
});
