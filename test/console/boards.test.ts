/** Dashboards in the console: tiles from questions and saved queries, one range of time, files. */
import fs from 'node:fs';
import t from 'tap';
import { SHOP_START, SHOP_VISITORS_SMALL, visitorsOf } from '../../src/commands/demo/shop/visitor.js';
import { goTo, serveShop, sidewaysOf, signIn, violationsOf, visitors, waitForAnswer } from './browser.js';

t.setTimeout(240_000);
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
