/**
 * The published conformance cases, where they lie: in the folder that CONFORMANCE_CASES names, else in
 * ../shared/conformance beside the checkout. Only files whose endpoints are built are run; each of their cases must
 * pass, at first and after a restart.
 */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ConformanceServer } from '../support/conformance-server.js';
import { ROOT } from '../tidy/source.js';
import { dataOf, ENDPOINTS, load, operate, query, readCases } from './runner.js';

const folder = process.env.CONFORMANCE_CASES ?? path.join(ROOT, '../shared/conformance');
const there = fs.existsSync(folder);

if (!there)
  t.comment(`there are no published cases here: ${folder} is no folder (CONFORMANCE_CASES names another)`);
t.ok(there || process.env.CONFORMANCE_CASES === undefined, 'a folder that CONFORMANCE_CASES names is there');

t.test(
  'the published cases pass',
  { skip: there ? false : 'there are no published cases here' },
  async (t) => {
    const server = await ConformanceServer.start(true);
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
  },
);
