/** Dashboards in the console: tiles from questions and saved queries, one range of time, files. */
import fs from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { SHOP_START, SHOP_VISITORS_SMALL, visitorsOf } from '../../src/commands/demo/shop/visitor.js';
import {
  goTo,
  PHONE,
  serveShop,
  sidewaysOf,
  signIn,
  violationsOf,
  visitors,
  waitForAnswer,
} from './browser.js';

t.setTimeout(480_000);
const browse = await visitors(serveShop);

const JANUARY_END = SHOP_START + 31 * 86_400;
const SHOP = [...visitorsOf(SHOP_VISITORS_SMALL)];

browse(
  'a dashboard has tiles with one range of time, and goes to a file and back',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await goTo(page, 'Explore');
    await page.getByRole('tab', { name: 'Trend', exact: true }).click();
    const visible = (label: string) => page.getByLabel(label, { exact: true }).and(page.locator(':visible'));
    const from = visible('From');
    while ((await from.inputValue()) === '') await page.waitForTimeout(20);
    await page.getByLabel('Divide by').selectOption('weeks');
    await waitForAnswer(page, () => page.getByRole('button', { name: 'Ask', exact: true }).click());
    await page.getByText('Add to a dashboard').click();
    await page.getByLabel('Name of the dashboard').fill('shop');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added to shop').waitFor();

    await goTo(page, 'Saved');
    await waitForAnswer(page, () => page.getByRole('button', { name: 'Run shop-funnel' }).click());
    await page.getByText('Add to a dashboard').last().click();
    await page.getByRole('button', { name: 'Add', exact: true }).last().click();
    await page.getByRole('link', { name: 'Dashboards' }).last().click();
    const funnel = page.getByRole('region', { name: 'shop-funnel' });
    await funnel.getByText(`${SHOP.length.toLocaleString('en-US')} · 100.0%`, { exact: true }).waitFor();
    await page.getByRole('region', { name: 'page events' }).locator('canvas').waitFor();

    await from.fill('2026-01-01');
    await visible('To (inclusive)').fill('2026-01-31');
    const early = SHOP.filter(({ firstSeconds }) => firstSeconds < JANUARY_END).length;
    await funnel.getByText(`${early.toLocaleString('en-US')} · 100.0%`, { exact: true }).waitFor();
    t.strictSame(await violationsOf(page), []);
    t.equal(await sidewaysOf(page), 0);

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = fs.readFileSync(await (await downloading).path());
    t.notMatch(file.toString(), keys.master);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('None yet').waitFor();
    const load = (buffer: Buffer) =>
      page
        .getByLabel('File of a dashboard')
        .setInputFiles({ name: 'shop.json', mimeType: 'application/json', buffer });
    await load(Buffer.from('{}'));
    await page.getByText('The file is not a dashboard of Quarry').waitFor();
    await load(file);
    await funnel.getByText(`${early.toLocaleString('en-US')} · 100.0%`, { exact: true }).waitFor();
    await page.reload();
    await funnel.getByText(`${early.toLocaleString('en-US')} · 100.0%`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Move shop-funnel up' }).click();
    t.strictSame(await page.locator('.board-tile h2').allTextContents(), ['shop-funnel', 'page events']);
    await page.getByRole('button', { name: 'Open page events' }).click();
    await page.getByRole('heading', { name: 'Explore' }).waitFor();
    t.equal(await from.inputValue(), '2026-01-01', 'a tile opens with the range of the dashboard');
  },
);

const ORDERS = {
  ...{ title: 'all visitors', path: '/v1/query/count/entity' },
  body: { 'query-name': 'n', dimension: 'visitors', query: [{ 'entity-id': { 'not-equals': '-' } }] },
};
const BOARD = JSON.stringify({
  ...{ 'quarry-dashboard': 1, name: 'shop', range: { from: '', to: '' }, tiles: [ORDERS] },
});

browse(
  'a dashboard follows the data, and a link with a read key shows it to those without a key',
  async (t, { page, faults }, { api, keys, browser }) => {
    await signIn(page, keys.master);
    await goTo(page, 'Dashboards');
    await page
      .getByLabel('File of a dashboard')
      .setInputFiles({ name: 'shop.json', mimeType: 'application/json', buffer: Buffer.from(BOARD) });
    const tileIn = (shown: Page) => shown.getByRole('region', { name: 'all visitors' });
    const number = (count: number) => count.toLocaleString('en-US');
    await tileIn(page).getByText(number(SHOP.length)).waitFor();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction('document.fullscreenElement?.className === "whole-board"');
    await page.evaluate('document.exitFullscreen()');

    const following = page.waitForResponse((response) => response.url().includes('/v1/status/live'));
    await page.getByLabel('Live', { exact: true }).check();
    await following;
    const insert = JSON.stringify({ late: { dimension: 'visitors', country: 'spain' } });
    await api.json({ method: 'POST', path: '/v1/insert', key: keys.write, body: insert });
    await tileIn(page)
      .getByText(number(SHOP.length + 1))
      .waitFor();

    await page.getByText('Share by a link').click();
    await page.getByLabel('Read key for the link').fill(keys.write);
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Read key for the link').fill(keys.master);
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByText('This key can change data').waitFor();
    await page.getByLabel('Read key for the link').fill(keys.read);
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = (await page.locator('.share .made code').textContent()) ?? '';
    t.strictSame(await violationsOf(page), []);
    t.notMatch(
      String(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')),
      keys.read,
      'the key of the link is stored nowhere',
    );

    const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: PHONE });
    t.teardown(() => context.close());
    const guest = await context.newPage();
    guest.on('pageerror', ({ message }) => faults.push(message));
    const sent: string[] = [];
    guest.on('request', (request) => sent.push(request.url()));
    await guest.goto(link);
    await tileIn(guest)
      .getByText(number(SHOP.length + 1))
      .waitFor();
    t.strictSame(
      (await guest.getByRole('button').allInnerTexts()).filter((text) => /[A-Z]/.test(text)),
      ['Each tile’s own dates', 'Refresh', 'Full screen'],
      'nothing can be changed',
    );
    t.equal(await sidewaysOf(guest), 0);
    t.strictSame(await violationsOf(guest), []);
    t.notOk(
      sent.some((url) => url.includes(keys.read)),
      'the key is in no address that is sent',
    );
    t.equal(await guest.evaluate('sessionStorage.length + localStorage.length'), 0);
    await guest.goto('about:blank');
    await guest.goto(`${link.slice(0, -9)}`);
    await guest.getByText('This link is damaged').waitFor();
    const remove = JSON.stringify({ dimension: 'visitors', query: [{ 'entity-id': { equals: 'late' } }] });
    await api.json({ method: 'POST', path: '/v1/delete', key: keys.master, body: remove });
  },
);
