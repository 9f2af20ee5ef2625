/**
 * Visits to the console in a real headless Chromium. Each visit checks that its page sends no request to another
 * server, does not violate its content security policy, and writes no error to the browser's log.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';
import t, { type Test } from 'tap';
import { RemoteClient } from '../../src/commands/remote/client.js';
import { type Keys, ServerProcess } from '../support/server-process.js';
import { loadDemo, loadShopOnly } from './demo-data.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** Time limit for anything to become visible. */
export const WAIT_MS_MAX = 30_000;

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** The reason why no browser can be started here; false = one can. */
export const noBrowser: string | false = fs.existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}`;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') });

/** A server with the demo's data. */
export interface Served {
  readonly url: string;
  /** The server's certificate, as PEM. */
  readonly certificate: string;
  readonly keys: Keys;
}

/** Starts a server in an empty folder; it ends with the tests of the file. */
export type Serve = (dir: string) => Promise<Served>;

export interface Site {
  readonly url: string;
  readonly keys: Keys;
  readonly api: RemoteClient;
  readonly browser: Browser;
}

/** Starts a server with what `load` inserts. */
const serveWith =
  (load: (served: Served) => Promise<void>): Serve =>
  async (dir) => {
    const server = new ServerProcess({ dir });
    t.teardown(() => server.end());
    const { httpsPort } = await server.serving;
    const url = `https://127.0.0.1:${httpsPort}`;
    const certificate = fs.readFileSync(path.join(dir, 'tls/cert.pem'), 'utf8');
    const served = { url, certificate, keys: server.keys() };
    await load(served);
    return served;
  };

/** Starts a server with 20,000 flights. */
const serveSmall = serveWith(loadDemo);
/** Starts a server with 2,000 visitors of the shop and its saved questions. */
export const serveShop = serveWith(loadShopOnly);

export interface Visit {
  readonly page: Page;
  /** Errors that the page did not show. */
  readonly faults: string[];
  close(): Promise<void>;
}

export type Visiting = (t: Test, visit: Visit, site: Site) => Promise<void>;

/** Returns a function that declares a test with a visit to the file's server; without a browser, the test is skipped. */
export async function visitors(serve = serveSmall) {
  const site = noBrowser === false ? await openSite(serve) : null;
  return (name: string, run: Visiting, viewport = WIDE): void => {
    t.test(name, { skip: noBrowser }, async (t) => {
      if (site === null) return;
      const visited = await visit(site, viewport);
      t.teardown(() => visited.close());
      await run(t, visited, site);
      t.strictSame(visited.faults, [], 'the page has no hidden error');
    });
  };
}

async function openSite(serve: Serve): Promise<Site> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-console-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const served = await serve(dir);
  const { url, keys } = served;
  const api = new RemoteClient(served, 4);
  t.teardown(() => api.close());
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  return { url, keys, api, browser };
}

const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI), true)`;
/** The log line of Chromium for every answer that is an error; pages show these errors. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

async function visit({ url, browser }: Site, viewport: typeof WIDE): Promise<Visit> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS_MAX);
  const faults: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !REFUSAL.test(text)) faults.push(text);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`request to another server: ${request.url()}`);
  });
  await page.addInitScript(REPORT_VIOLATIONS);
  await page.goto(`${url}/console`);
  return { page, faults, close: () => context.close() };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Start' }).waitFor();
}

export const goTo = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name: view }).click();

const QUERY_PATHS = /\/v1\/(query|sql|data_extraction)/;
/** Whether a field sent the request by itself, for values to suggest or for the window of events. */
const isOfField = (request: Request): boolean =>
  request.url().endsWith('/top_values') || (request.postData()?.includes('"1990-01-01"') ?? false);

/** Runs an action that makes the page send a query, and resolves when the answer is visible. */
export async function waitForAnswer(page: Page, act: () => Promise<unknown>): Promise<void> {
  const sentRequest = page.waitForRequest(
    (request) => QUERY_PATHS.test(request.url()) && !isOfField(request),
  );
  await act();
  await (await (await sentRequest).response())?.finished();
  await page.locator('.result[aria-busy=false]:visible, [role=alert]:visible').first().waitFor();
}

/** The tab that shows the answer in another form. */
export const shownAs = (page: Page, name: string) =>
  page.getByRole('tablist', { name: 'Shown as' }).getByRole('tab', { name });

/** The cells of the first visible table, as text. */
export async function rowsOf(page: Page): Promise<string[][]> {
  const rows = page.getByRole('region', { name: 'Rows' }).locator('tbody tr');
  await rows.first().waitFor();
  return Promise.all((await rows.all()).map((row) => row.locator('td').allInnerTexts()));
}

/** How far the page can be scrolled sideways, in pixels. */
export const sidewaysOf = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const AXE_SOURCE = `(() => { ${fs.readFileSync(AXE, 'utf8')} })()`;
const RUN_AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`;

/** The violations of WCAG 2.2 AA that axe finds in the page, one text each. The header covers nothing at the top of the page. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (await page.evaluate('scrollTo(0, 0), window.axe === undefined')) await page.evaluate(AXE_SOURCE);
  return page.evaluate(RUN_AXE);
}
