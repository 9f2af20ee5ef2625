/**
 * A real headless Chromium over a real server that holds the demo's small data. Each visit watches its page: nothing may be
 * asked of anybody else, the page's policy may not be broken, and nothing may be written to the browser's log as an error.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import { airportBodies } from '../../src/commands/demo/airports.js';
import { earthquakeBodies } from '../../src/commands/demo/earthquakes.js';
import { flightBodies } from '../../src/commands/demo/flight-bodies.js';
import { readFlights } from '../../src/commands/demo/flights.js';
import { insertAll } from '../../src/commands/demo/load.js';
import { COLUMNS, DIMENSIONS } from '../../src/commands/demo/model.js';
import { RemoteClient } from '../../src/commands/remote/client.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { type Keys, ServerProcess } from '../support/server-process.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
const WAIT_MS_MAX = 20_000;

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Why no browser can be started here; false = one can. */
export const noBrowser: string | false = fs.existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}`;

export interface Site {
  readonly url: string;
  readonly keys: Keys;
  readonly api: RemoteClient;
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-console-'));
  const server = new ServerProcess({ dir });
  const { httpsPort } = await server.serving;
  const url = `https://127.0.0.1:${httpsPort}`;
  const certificate = fs.readFileSync(path.join(dir, 'tls/cert.pem'), 'utf8');
  const api = new RemoteClient({ url, certificate }, 4);
  const keys = server.keys();
  await loadDemo(api, keys);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') });
  return {
    ...{ url, keys, api, browser },
    async close() {
      await browser.close();
      api.close();
      await server.end();
      fs.rmSync(dir, { recursive: true });
    },
  };
}

async function loadDemo(api: RemoteClient, { master, write }: Keys): Promise<void> {
  const make = (at: string, items: unknown) =>
    api.json({ method: 'POST', path: at, key: master, body: JSON.stringify(items) });
  await make('/v1/dimension', DIMENSIONS);
  await make('/v1/column', COLUMNS);
  const files = new NodeFileSystem();
  const now = (): number => performance.now();
  for (const bodies of [
    airportBodies(files),
    flightBodies(readFlights(files, true)),
    earthquakeBodies(files),
  ]) {
    await insertAll(api, write, bodies, now, () => {});
  }
}

export interface Visit {
  readonly page: Page;
  /** What went wrong that nobody saw on the page. */
  readonly faults: string[];
  close(): Promise<void>;
}

const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI), true)`;
/** What Chromium writes of every answer that is an error; pages show those. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

export async function visit(
  { url, browser }: Site,
  viewport = WIDE,
  more: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS_MAX);
  const faults: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !REFUSAL.test(text)) faults.push(text);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`asked elsewhere: ${request.url()}`);
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

const ASKS = /\/v1\/(query|sql|data_extraction)/;
/** What fields ask by themselves: values to suggest, and from when to when there are events. */
const isOfField = (request: Request): boolean =>
  request.url().endsWith('/top_values') || (request.postData()?.includes('"1990-01-01"') ?? false);

/** Does what makes the page ask, and resolves when the answer is in sight. */
export async function asking(page: Page, act: () => Promise<unknown>): Promise<void> {
  const asked = page.waitForRequest((request) => ASKS.test(request.url()) && !isOfField(request));
  await act();
  await (await (await asked).response())?.finished();
  await page.locator('.result[aria-busy=false]:visible, [role=alert]:visible').first().waitFor();
}

/** The cells of the first table of rows in sight, as they are read. */
export async function rowsOf(page: Page): Promise<string[][]> {
  const rows = page.getByRole('region', { name: 'Rows' }).locator('tbody tr');
  await rows.first().waitFor();
  return Promise.all((await rows.all()).map((row) => row.locator('td').allInnerTexts()));
}

/** How far the page could be scrolled to the side, in pixels. */
export const sidewaysOf = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)');
