/** The published client, built for Node and for browsers. */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import t from 'tap';
import { nodeFetch } from '../../src/client/transport/node-fetch.js';
import { noBrowser, openBrowser } from '../console/browser.js';
import { ROOT } from '../tidy/source.js';
import { type PageResult, pageBundle } from './page.js';
import { serveClients } from './site.js';

const BUILT = path.join(ROOT, 'dist/client');

t.test('the build sends requests to a server in Node', async (t) => {
  const site = await serveClients(t);
  const { Quarry } = (await import(
    path.join(BUILT, 'index.js')
  )) as typeof import('../../src/client/index.js');
  const quarry = new Quarry({ url: site.url, key: site.keys.master, ca: site.ca });
  t.strictSame(await quarry.dimensions(), ['default']);
});

t.test('the build imports modules of Node only for certificates', async (t) => {
  const text = fs.readFileSync(path.join(BUILT, 'index.js'), 'utf8');
  t.notMatch(text, /["']node:/);
  t.notMatch(text, /\bBuffer\b|\bprocess\./);
});

const FOUND: PageResult = { inserted: 1_200, count: 1_201, big: String(2n ** 62n), rows: 1_201, code: 6000 };

t.test('a page runs the build with only the globals of browsers', async (t) => {
  const site = await serveClients(t);
  const page = {
    ...{
      setTimeout,
      clearTimeout,
      AbortController,
      DOMException,
      TextDecoder,
      Uint8Array,
      performance,
      crypto,
    },
    fetch: nodeFetch({ ca: site.ca }).fetch,
    runInPage: null as ((key: string, url: string) => Promise<PageResult>) | null,
  };
  vm.runInNewContext(await pageBundle(), page);
  const result = await page.runInPage?.(site.keys.master, site.url);
  t.strictSame({ ...result }, FOUND);
});

t.test('a page in Chromium runs the build', { skip: noBrowser }, async (t) => {
  const site = await serveClients(t);
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  // The policy of the server's own pages forbids scripts from elsewhere.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${site.url}/docs`);
  await page.addScriptTag({ content: await pageBundle() });
  const run = `runInPage(${JSON.stringify(site.keys.master)}, location.origin)`;
  t.strictSame(await page.evaluate(run), FOUND);
});
