/**
 * The published conformance cases, read from the folder that CONFORMANCE_CASES names, or from ../shared/conformance
 * next to the checkout. Only files whose endpoints are implemented are run. Each of their cases must pass, both before
 * and after a restart.
 */
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { ConformanceServer, type ServerLayout } from '../support/conformance-server.js';
import { ROOT } from '../tidy/source.js';
import { dataOf, ENDPOINTS, load, operate, query, readCases } from './runner.js';

const folder = process.env.CONFORMANCE_CASES ?? path.join(ROOT, '../shared/conformance');
const there = fs.existsSync(folder);

if (!there)
  t.comment(`no published cases found: ${folder} is not a folder (CONFORMANCE_CASES names another)`);
t.ok(there || process.env.CONFORMANCE_CASES === undefined, 'the folder that CONFORMANCE_CASES names exists');

const LAYOUTS = [{}, { exchange: 'bytes', partitionGroupsMin: 1 }] as const;

for (const layout of LAYOUTS) {
  const name = `the published cases pass with ${JSON.stringify(layout)}`;
  t.test(name, { skip: there ? false : 'no published cases found' }, (t) => passAll(t, layout));
}

async function passAll(t: Test, layout: Partial<ServerLayout>): Promise<void> {
  const server = await ConformanceServer.start(true, layout);
  t.teardown(() => server.stop());
  const files = Object.entries(ENDPOINTS).map(([endpoint, { query: urlPath }]) => ({
    endpoint,
    urlPath,
    cases: readCases(path.join(folder, `${endpoint}.json`)),
  }));
  for (const { endpoint, urlPath, cases } of files) {
    t.ok(cases.length > 0, `${endpoint}: ${cases.length} cases`);
    for (const data of dataOf(cases)) await load(server, data);
    for (const one of cases) {
      t.equal(await operate(server, one), null, `${endpoint}, ${one.name}: its operation`);
      t.equal(await query(server, urlPath, one), null, `${endpoint}, ${one.name}`);
    }
  }
  await server.restart();
  for (const { endpoint, urlPath, cases } of files) {
    for (const one of cases) {
      t.equal(await query(server, urlPath, one), null, `after a restart: ${endpoint}, ${one.name}`);
    }
  }
}
