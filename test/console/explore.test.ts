/** Questions about behaviour in the console: built by form, answered, clicked, shared, in both themes and on a phone. */
import fs from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { SHOP_VISITORS_SMALL, visitorsOf } from '../../src/commands/demo/shop/visitor.js';
import { sqlOf } from '../../src/console/query/sql-text.js';
import type { Json } from '../../src/console/server/json.js';
import { readModel } from '../../src/console/server/model.js';
import {
  goTo,
  PHONE,
  rowsOf,
  serveShop,
  shownAs,
  sidewaysOf,
  signIn,
  violationsOf,
  visitors,
  waitForAnswer,
} from './browser.js';

import { SHOP_REQUESTS } from './shop-requests.js';

t.setTimeout(480_000);
const browse = await visitors(serveShop);

const SHOP = [...visitorsOf(SHOP_VISITORS_SMALL)];
const reached = (step: number): number => SHOP.filter((visitor) => visitor.reached >= step).length;
const grouped = (count: number): string => count.toLocaleString('en-US');

const kindTab = (page: Page, name: string) =>
  page.getByRole('tablist', { name: 'What to show' }).getByRole('tab', { name, exact: true });
const submit = (page: Page) => page.getByRole('button', { name: 'Ask', exact: true });

/** Opens a kind of question and waits until the range of time is filled in. */
async function openKind(page: Page, name: string): Promise<void> {
  await kindTab(page, name).click();
  const isOpen = '[...document.querySelectorAll("input[type=date]")].some(({ value }) => value === "")';
  while (await page.evaluate(isOpen)) await page.waitForTimeout(20);
}

/** Builds a step or series: the column, and the value that it must be. */
async function fillEvent(page: Page, about: string, column: string, value: string | null): Promise<void> {
  await page.getByLabel(`${about}: event`).selectOption(column);
  if (value === null) return;
  await page.getByLabel(`${about}: comparison`).selectOption({ label: 'is' });
  await page.getByLabel(`${about}: value`, { exact: true }).fill(value);
}

async function buildFunnel(page: Page): Promise<void> {
  await goTo(page, 'Explore');
  await openKind(page, 'Funnel');
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('button', { name: 'Add a step' }).click();
  await fillEvent(page, 'Step 1', 'page', 'home');
  await fillEvent(page, 'Step 2', 'page', 'product');
  await fillEvent(page, 'Step 3', 'cart', null);
  await fillEvent(page, 'Step 4', 'order', null);
}

browse(
  'a funnel is built by form, and its bars open the entities behind them',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.read);
    await buildFunnel(page);
    await waitForAnswer(page, () => submit(page).click());
    const texts = (await page.locator('.scene text').allTextContents()).join('\n');
    for (const step of [1, 2, 3, 4]) t.match(texts, `${grouped(reached(step))} ·`, `step ${step}`);

    await page.getByRole('button', { name: /lost .* before order/ }).click();
    const behind = page.getByRole('region', { name: /reached “cart” but not “order”/ });
    await behind.getByRole('heading', { name: `${reached(3) - reached(4)} visitors that reached` }).waitFor();
    const [[id]] = await rowsOf(page);
    t.equal(SHOP.find((visitor) => visitor.id === id)?.reached, 3, 'one who filled a cart and did not order');
    await behind.getByRole('button', { name: id, exact: true }).click();
    await page.locator('.timeline li li').first().waitFor();
    const visitor = SHOP.find((one) => one.id === id);
    const events = (visitor?.page.length ?? 0) + (visitor?.cart.length ?? 0);
    t.equal(await page.locator('.timeline li li').count(), events, 'the timeline has every event');
  },
);

browse(
  'the entities behind a bar become a segment, which is used in conditions and compared with an answer',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await buildFunnel(page);
    await waitForAnswer(page, () => submit(page).click());
    await page.getByRole('button', { name: /lost .* before order/ }).click();
    await page.getByText('Make a segment of them').click();
    await page.getByLabel('Name of the segment').fill('lost-carts');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.getByText('Made lost-carts').waitFor();
    const lost = grouped(reached(3) - reached(4));

    await page.getByLabel('Beside it, the same for the segment').selectOption('lost-carts');
    await waitForAnswer(page, () => submit(page).click());
    const beside = page.getByRole('region', { name: 'Segment lost-carts' });
    await beside.getByText(`${lost} · 100.0%`).first().waitFor();
    t.strictSame(await violationsOf(page), []);
    await page.getByLabel('Beside it, the same for the segment').selectOption({ label: 'none' });
    await kindTab(page, 'Count').click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Column', { exact: true }).selectOption({ label: 'in the segment' });
    await waitForAnswer(page, () => submit(page).click());
    t.equal(await page.locator('.figure strong').textContent(), lost);
    await waitForAnswer(page, async () => void (await page.reload()));
    t.equal(await page.locator('.figure strong').textContent(), lost, 'the address has the segment');

    await goTo(page, 'Saved');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete the segment lost-carts' }).click();
    await page.getByText('None yet. A segment is').waitFor();
  },
);

browse(
  'series make a formula with notes, in the days of a time zone, and funnels leave attempts out',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.read);
    await goTo(page, 'Explore');
    await openKind(page, 'Trend');
    await page.getByLabel('Divide by').selectOption('days');
    await page.getByText('Formula and notes').click();
    await page.getByLabel('Formula of the series').fill('A / B');
    await submit(page).click();
    await page.getByText('there is no series “B”').waitFor();
    await page.getByLabel('Formula of the series').fill('A * 2 / 2');
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('Note 1: day').fill('2026-02-10');
    await page.getByLabel('Note 1: text').fill('winter sale');
    await page.getByText('Time zone', { exact: true }).click();
    await page.getByLabel('Days and periods of the time zone').fill('Asia/Tokyo');
    await waitForAnswer(page, () => submit(page).click());
    await page.locator('.marks').getByText('winter sale').waitFor();
    t.match(await page.locator('.times figcaption').textContent(), 'A * 2 / 2');
    await shownAs(page, 'Table').click();
    const TOKYO_SECONDS = 9 * 3_600;
    const days = new Map<string, number>();
    for (const { seconds } of SHOP.flatMap(({ page: views }) => views)) {
      const day = new Date((seconds + TOKYO_SECONDS) * 1000).toISOString().slice(0, 10);
      days.set(day, (days.get(day) ?? 0) + 1);
    }
    const [first] = await rowsOf(page);
    t.equal(Number(first[1].replaceAll(',', '')), days.get(first[0]), `the events of ${first[0]} in Tokyo`);
    await waitForAnswer(page, async () => void (await page.reload()));
    t.equal(await page.getByLabel('Note 1: text').inputValue(), 'winter sale', 'the address has the note');

    await page.getByLabel('Days and periods of the time zone').fill('');
    await buildFunnel(page);
    await page.getByText('Attempts that count').click();
    await page.getByRole('button', { name: 'Exclude events between steps' }).click();
    await fillEvent(page, 'Excluded 1', 'cart', null);
    await page.getByLabel('Excluded 1: after step').fill('4');
    await submit(page).click();
    await page.getByText('Excluded events lie after a step').waitFor();
    await page.getByLabel('Excluded 1: after step').fill('1');
    await page.getByLabel('Excluded 1: before step').fill('2');
    await waitForAnswer(page, () => submit(page).click());
    t.match((await page.locator('.scene text').allTextContents()).join(), `${grouped(reached(1))} ·`);
  },
);

browse('a question is shared by its address, and marked when it changes', async (t, { page }, { keys }) => {
  await signIn(page, keys.read);
  await buildFunnel(page);
  await waitForAnswer(page, () => submit(page).click());
  const funnel = page.url();
  t.match(funnel, /#explore\/[\w-]+$/);
  t.notMatch(funnel, keys.read);
  const note = page.getByText('The question has changed since this answer.');
  t.equal(await note.count(), 0);
  await page.getByLabel('All within', { exact: true }).fill('1');
  await note.waitFor();
  await page.getByLabel('All within', { exact: true }).fill('7');
  await note.waitFor({ state: 'detached' });

  await openKind(page, 'Lifecycle');
  await waitForAnswer(page, () => submit(page).click());
  t.not(page.url(), funnel);
  await waitForAnswer(page, async () => void (await page.goBack()));
  t.equal(page.url(), funnel);
  t.equal(await kindTab(page, 'Funnel').getAttribute('aria-selected'), 'true');
  t.equal(await page.getByLabel('Step 2: value', { exact: true }).inputValue(), 'product');

  await waitForAnswer(page, async () => void (await page.reload()));
  t.equal(await page.getByLabel('Step 2: value', { exact: true }).inputValue(), 'product');
  await page.evaluate('location.hash = "#explore/bm9uc2Vuc2U"');
  await page.getByText('The address of this page has no question about this database.').waitFor();
});

browse('every kind answers, is saved and written as code', async (t, { page }, { keys }) => {
  await signIn(page, keys.master);
  await goTo(page, 'Explore');
  await openKind(page, 'Trend');
  await page.getByRole('button', { name: 'Add a series' }).click();
  await page.getByLabel('Series 2: what to compute').selectOption('entities');
  await page.getByLabel('Divide by').selectOption('weeks');
  await page.getByLabel('Compare with').check();
  await waitForAnswer(page, () => submit(page).click());
  await shownAs(page, 'Table').click();
  const pages = SHOP.reduce((sum, visitor) => sum + visitor.page.length, 0);
  const weeks = await rowsOf(page);
  t.equal(
    weeks.reduce((sum, row) => sum + Number(row[1].replaceAll(',', '')), 0),
    pages,
    'the weeks have every event',
  );
  t.equal(weeks[0].length, 5, 'two series and both in the time before');
  await page.getByLabel('Name of the saved query').fill('pages');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved as pages, pages-2, pages-3, pages-4').waitFor();

  await openKind(page, 'Retention');
  await waitForAnswer(page, () => submit(page).click());
  const cohort = page.getByRole('row', { name: /^2026-01-05/ }).getByRole('button');
  const size = await cohort.first().textContent();
  await cohort.first().click();
  await page.getByRole('heading', { name: `${size} visitors of the cohort 2026-01-05` }).waitFor();

  await openKind(page, 'Distribution');
  await waitForAnswer(page, () => submit(page).click());
  const [first] = await page.locator('.bars li .value').allInnerTexts();
  await page.getByRole('button', { name: '1 period', exact: true }).click();
  await page.getByRole('heading', { name: `${first} visitors active in exactly 1 period` }).waitFor();

  await openKind(page, 'Flow');
  await waitForAnswer(page, () => submit(page).click());
  await page.locator('.scene path').first().waitFor();
  t.ok((await page.locator('.scene path').count()) > 5, 'bands between the levels');
  await page.getByText('The request').last().click();
  await page.getByRole('tab', { name: 'curl' }).click();
  t.match(await page.locator('.request pre').last().textContent(), /curl .*\/v1\/query\/flow/);
  await page.getByRole('tab', { name: 'SQL', exact: true }).click();
  t.match(await page.locator('.request pre').last().textContent(), /^SELECT \* FROM flow\('/);
  await page.getByRole('tab', { name: 'TypeScript' }).click();
  t.match(await page.locator('.request pre').last().textContent(), /await quarry\.flow\(/);
  await page.getByRole('button', { name: 'Edit as SQL' }).click();
  await waitForAnswer(page, () => page.getByRole('button', { name: 'Run', exact: true }).click());
  await shownAs(page, 'Table').and(page.locator(':visible')).click();
  t.ok((await rowsOf(page)).length > 5, 'the rows of the flow as a table of SQL');

  await goTo(page, 'Saved');
  await page.getByRole('button', { name: 'Run shop-funnel' }).click();
  await page.locator('.scene text').first().waitFor();
});

browse(
  'tables are sorted, filtered and downloaded, and charts become pictures',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.read);
    await goTo(page, 'Explore');
    await openKind(page, 'Lifecycle');
    await waitForAnswer(page, () => submit(page).click());
    const saved = async (button: string): Promise<Buffer> => {
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      return fs.readFileSync(await (await downloading).path());
    };
    t.match((await saved('Download SVG')).toString(), /^<svg [\s\S]*new[\s\S]*<\/svg>\n$/);
    const png = await saved('Download PNG');
    t.strictSame([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
    t.ok(png.readUInt32BE(16) > 1_900, 'two pixels for each');

    await shownAs(page, 'Table').click();
    await page.getByRole('button', { name: 'new', exact: true }).click();
    const counts = (await rowsOf(page)).map(([, count]) => Number(count));
    t.strictSame(
      counts,
      [...counts].sort((a, b) => b - a),
    );
    t.equal(await page.locator('th[aria-sort=descending]').count(), 1);
    await page.getByLabel('Filter rows').fill('2026-02');
    t.equal((await rowsOf(page)).length, 4);
    const lines = (await saved('Download CSV')).toString().trimEnd().split('\r\n');
    t.equal(lines[0], 'from,new,returning,resurrecting,dormant');
    t.equal(lines.length, 5, 'the rows that are shown');
    const parquet = await saved('Download Parquet');
    t.equal(parquet.subarray(0, 4).toString(), 'PAR1');
  },
);

/** All numbers of an answer, without the numbers of entities that aggregations name beside a metric. */
function numbersIn(answer: unknown): number[] {
  if (typeof answer === 'number') return [answer];
  if (typeof answer !== 'object' || answer === null) return [];
  const hasMetric = Object.values(answer).some((value) => typeof value === 'object');
  return Object.entries(answer).flatMap(([name, value]) =>
    hasMetric && name === 'quantity' ? [] : numbersIn(value),
  );
}

browse('the SQL of a question has the numbers of its answer', async (t, _, { api, keys }) => {
  const send = async (path: string, body: string, contentType = 'application/json') =>
    (await api.json({ method: 'POST', path, key: keys.read, body, contentType })) as { result: unknown };
  const model = readModel(
    (await api.json({ method: 'GET', path: '/v1/column', key: keys.read })) as Json,
    null,
  );
  for (const { path, body } of SHOP_REQUESTS) {
    const request = { method: 'POST', path: `/v1/query/${path}`, body: JSON.stringify(body) } as const;
    const sql = sqlOf(request, model) ?? '';
    const inJson = numbersIn((await send(request.path, request.body)).result);
    const inSql = numbersIn((await send('/v1/sql', sql, 'application/sql')).result);
    t.ok(inJson.length > 0 && inJson.every((number) => number > 0), request.body);
    t.strictSame([...inSql].sort(), [...inJson].sort(), sql);
  }
});

const KINDS = ['Count', 'Trend', 'Funnel', 'Retention', 'Lifecycle', 'Flow', 'Distribution', 'Table'];

browse(
  'the kinds fit a phone, and violate no rule of WCAG in either theme',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await goTo(page, 'Explore');
    for (const kind of KINDS) {
      await openKind(page, kind);
      await waitForAnswer(page, () => submit(page).click());
      t.strictSame(await violationsOf(page), [], `${kind} in light`);
      await page.getByRole('button', { name: 'Change to dark' }).click();
      t.strictSame(await violationsOf(page), [], `${kind} in dark`);
      await page.getByRole('button', { name: 'Change to light' }).click();
      t.equal(await sidewaysOf(page), 0, `${kind} fits`);
    }
  },
  PHONE,
);

browse('the other views violate no rule of WCAG in either theme', async (t, { page }, { keys }) => {
  await signIn(page, keys.master);
  for (const view of ['Start', 'Query', 'Saved', 'Dashboards', 'Live', 'Keys']) {
    await goTo(page, view);
    await page.getByRole('heading', { level: 1 }).and(page.locator(':visible')).first().waitFor();
    t.strictSame(await violationsOf(page), [], `${view} in light`);
    await page.getByRole('button', { name: 'Change to dark' }).click();
    t.strictSame(await violationsOf(page), [], `${view} in dark`);
    await page.getByRole('button', { name: 'Change to light' }).click();
  }
});
