/**
 * The published conformance cases of SQL (see cases.test.ts for their folder): a file of insert bodies and of
 * statements with their answers. Each must pass, both before and after a restart.
 */
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import {
  difference,
  member,
  type ObjectNode,
  objectOf,
  parseText,
  textMember,
  textOf,
} from '../support/conformance-json.js';
import { ConformanceServer, type ServerLayout } from '../support/conformance-server.js';
import type { JsonNode } from '../support/json-tree.js';
import { ROOT } from '../tidy/source.js';

const file = path.join(process.env.CONFORMANCE_CASES ?? path.join(ROOT, '../shared/conformance'), 'sql.json');
const there = fs.existsSync(file);

if (!there)
  t.comment(`no published cases found: ${file} is not a file (CONFORMANCE_CASES names another folder)`);
t.ok(there || process.env.CONFORMANCE_CASES === undefined, 'the folder that CONFORMANCE_CASES names exists');

function listIn(root: ObjectNode, key: string): readonly JsonNode[] {
  const list = member(root, key);
  if (list?.t !== 'list') throw new Error(`${file} has no list of ${key}`);
  return list.items;
}

const LAYOUTS = [{}, { exchange: 'bytes', partitionGroupsMin: 1 }] as const;

for (const layout of LAYOUTS) {
  const name = `the published cases of SQL pass with ${JSON.stringify(layout)}`;
  t.test(name, { skip: there ? false : 'no published cases found' }, (t) => passAll(t, layout));
}

async function passAll(t: Test, layout: Partial<ServerLayout>): Promise<void> {
  const root = objectOf(parseText(fs.readFileSync(file, 'utf8')), file);
  const cases = listIn(root, 'cases').map((item, index) => objectOf(item, `case ${index}`));
  t.ok(cases.length > 0, `${cases.length} cases`);
  const server = await ConformanceServer.start(true, layout);
  t.teardown(() => server.stop());
  for (const body of listIn(root, 'setup')) {
    const { status, text } = await server.post('/v1/insert', textOf(body));
    t.equal(status, 200, text);
  }
  const check = async (what: string): Promise<void> => {
    for (const one of cases) {
      const name = textMember(one, 'name') ?? '';
      const { status, text } = await server.sql(textMember(one, 'query') ?? '');
      t.equal(status, 200, `${what}${name}: ${status === 200 ? '' : text}`);
      const expected = member(one, 'expected') as JsonNode;
      const how = { lists: 'in any order', numbers: 'near' } as const;
      t.equal(difference(expected, parseText(text), how), null, `${what}${name}`);
    }
  };
  await check('');
  await server.restart();
  await check('after a restart: ');
}
