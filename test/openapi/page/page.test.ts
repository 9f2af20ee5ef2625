import zlib from 'node:zlib';
import type { Page } from 'playwright-core';
import t from 'tap';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { apiPage } from '../../../src/openapi/index.js';
import { noBrowser, openBrowser, PHONE, sidewaysOf } from '../../console/browser.js';
import { startFront } from '../../http/harness.js';
import { describer, sentDocument } from '../checker.js';

const { answer: respond } = describer();
const page = String(respond('/docs')?.body);

t.test('the page names every endpoint, field, limit and error code', async (t) => {
  const document = sentDocument();
  for (const { path } of ENDPOINTS) t.ok(page.includes(path.replace(/:(\w+)/, '{$1}')), path);
  for (const code of Object.keys(document['x-error-codes'])) t.ok(page.includes(`id="code-${code}"`), code);
  for (const { most } of document['x-limits'])
    t.ok(page.includes(most.toLocaleString('en-US')), String(most));
  const fields = Object.values(document.components.schemas).flatMap(({ properties }) =>
    Object.keys(properties ?? {}),
  );
  for (const field of new Set(fields)) t.ok(page.includes(`<code>${field}</code>`), field);
  t.match(page, />at least 1, at most 100 items</);
});

t.test('the page loads only its own style sheet, and every link resolves', async (t) => {
  const sources = [...page.matchAll(/(?:src|href|url)\s*[=(]\s*["']?([^"'\s>)]+)/g)].map(
    ([, target]) => target,
  );
  const outside = sources.filter((target) => !target.startsWith('#') && target !== '/v1/openapi.json');
  t.strictSame(outside, ['/docs/style.css']);
  t.notMatch(page, /<script|style="|\son\w+=/, 'no script, and nothing that the policy forbids');
  t.notMatch(String(respond('/docs/style.css')?.body), /url\(|@import/);
  const ids = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id));
  const dead = sources.filter((target) => target.startsWith('#') && !ids.has(target.slice(1)));
  t.strictSame([...new Set(dead)], []);
  const all = [...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id);
  t.equal(ids.size, all.length, 'every name is unique');
  for (const tag of ['article', 'section', 'table', 'dl', 'ul', 'pre', 'nav', 'main', 'details']) {
    const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
    t.equal(page.match(new RegExp(`</${tag}>`, 'g'))?.length ?? 0, opened, `<${tag}> is closed`);
  }
});

t.test('every text of the document appears as text in the page', async (t) => {
  const document = JSON.parse(
    JSON.stringify(sentDocument()).replaceAll('Count entities', '<img src=x onerror=y>&\\"'),
  );
  t.notMatch(apiPage(document, '/docs/style.css'), /<img/);
});

t.test('page and style sheet are served over HTTPS, to GET and HEAD, and compressed once', async (t) => {
  for (const path of ['/v1/openapi.json', '/docs', '/docs/style.css']) {
    const plain = respond(path);
    t.match(plain, { status: 200 });
    t.match(respond(path, { method: 'head' }), { status: 200 });
    t.throws(() => respond(path, { method: 'post' }), { code: 1505 });
    t.throws(() => respond(path, { overHttps: false }), { code: 1506 });
    const br = respond(path, { acceptEncoding: 'gzip, br' });
    t.ok(zlib.brotliDecompressSync(br?.body ?? '').equals(Buffer.from(plain?.body ?? '')), path);
    const gzip = respond(path, { acceptEncoding: 'br;q=0.1, gzip' });
    t.ok(zlib.gunzipSync(gzip?.body ?? '').equals(Buffer.from(plain?.body ?? '')), path);
    t.equal(respond(path, { acceptEncoding: 'br' })?.body, br?.body, 'one compressed copy for all requests');
    const ifNoneMatch = new Map(br?.headers).get('ETag') ?? '';
    t.match(respond(path, { acceptEncoding: 'br', ifNoneMatch }), { status: 304, body: '' });
  }
  t.equal(respond('/docs/other'), null);
  const headers = new Map(respond('/docs')?.headers);
  t.match(headers.get('Content-Security-Policy'), /default-src 'none'; style-src 'self'/);
});

const KEYBOARD =
  'on a phone every endpoint is reachable with the keyboard, and no element is wider than the screen';

t.test(KEYBOARD, { skip: noBrowser }, async (t) => {
  const { httpsPort } = await startFront(t);
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    ...{ ignoreHTTPSErrors: true, viewport: PHONE, colorScheme: 'dark' as const },
  });
  const onPage = await context.newPage();
  const loaded = await onPage.goto(`https://127.0.0.1:${httpsPort}/docs`);
  t.equal(loaded?.headers()['content-encoding'], 'br');
  t.equal(await sidewaysOf(onPage), 0);
  const wanted = new Set([...page.matchAll(/<article id="([^"]+)"/g)].map(([, id]) => `#${id}`));
  for (const name of [...wanted].filter((id) => id.startsWith('#schema-'))) wanted.delete(name);
  t.ok(wanted.size > 40, `${wanted.size} endpoints`);
  await onPage.keyboard.press('Tab');
  t.equal((await focused(onPage)).href, '#top', 'the list of endpoints can be skipped');
  for (let stops = 0; wanted.size > 0 && stops < 100; stops++) {
    await onPage.keyboard.press('Tab');
    const { href, inSight, outline } = await focused(onPage);
    t.ok(inSight && outline === 'solid', `${href} is visible when it has the focus`);
    wanted.delete(href);
  }
  t.strictSame([...wanted], []);
});

interface Focused {
  readonly href: string;
  readonly inSight: boolean;
  readonly outline: string;
}

const focused = (onPage: Page): Promise<Focused> =>
  onPage.evaluate(`(() => {
    const { top, bottom, left, right } = document.activeElement.getBoundingClientRect();
    const inSight = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    const outline = getComputedStyle(document.activeElement).outlineStyle;
    return { href: document.activeElement.getAttribute('href') ?? '', inSight, outline };
  })()`);
