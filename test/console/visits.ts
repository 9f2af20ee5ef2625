/**
 * Visits to the console with the demo's data: by mouse, in a window of any size, and by keyboard only. Each step can
 * begin in any view, signed in.
 */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { readAirports } from '../../src/commands/demo/airports.js';
import { readFlights } from '../../src/commands/demo/flights.js';
import { NodeFileSystem } from '../../src/io/index.js';
import {
  goTo,
  rowsOf,
  type Site,
  shownAs,
  sidewaysOf,
  signIn,
  type Visit,
  type Visiting,
  WAIT_MS_MAX,
  WIDE,
  waitForAnswer,
} from './browser.js';

const MARCH = [Date.UTC(2001, 2, 1) / 1000, Date.UTC(2001, 3, 1) / 1000] as const;
/** The number of airports in California. */
const IN_CALIFORNIA = '205';
const IN_TEXAS = '209';

const queryButton = (page: Page) => page.getByRole('button', { name: 'Ask', exact: true });
const figureOf = (page: Page) => page.locator('.figure strong').last();
const placesOf = (page: Page) => page.getByText('location: 3,376 places');

/** Resolves when the window of the departures is filled in. */
async function datesFound(page: Page): Promise<void> {
  const from = page.getByLabel('From', { exact: true });
  while ((await from.inputValue()) === '') await page.waitForTimeout(20);
}

/** The last cell of a row, whose digits are grouped. */
const countIn = (texts: readonly string[]): number => Number(texts.at(-1)?.replaceAll(',', ''));

async function fits(t: Test, page: Page, what: string): Promise<void> {
  t.equal(await sidewaysOf(page), 0, `${what} fits into the window`);
}

/** Flights of March 2001 that left more than two hours late, by the airport's state, computed row by row. */
async function lateByState(small: boolean): Promise<Map<string, number>> {
  const files = new NodeFileSystem();
  const airports = await readAirports(files);
  const states = new Map(airports.map(({ id, values }) => [id, values.state as string | null]));
  const found = new Map<string, number>();
  for await (const { count, seconds, delays, origins } of readFlights(files, small)) {
    for (let row = 0; row < count; row++) {
      if (seconds[row] < MARCH[0] || seconds[row] >= MARCH[1] || !(delays[row] > 120)) continue;
      const state = states.get(origins[row])?.toLowerCase();
      if (state !== undefined) found.set(state, (found.get(state) ?? 0) + 1);
    }
  }
  return found;
}

/** Finds how many flights left each state over two hours late in March 2001, using only the texts of the pages. */
export const newcomer =
  (small: boolean): Visiting =>
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await page.getByRole('button', { name: /delay.*events are there for each state/ }).click();
    await page.getByRole('figure', { name: 'delay events' }).waitFor();
    t.match(
      await page.locator('.result .facts').textContent(),
      /^the first 50 of \d+ rows/,
      'the rows are limited',
    );
    await page.getByLabel('delay: comparison').selectOption({ label: 'more than' });
    await page.getByLabel('delay: value').fill('120');
    await page.getByLabel('From', { exact: true }).fill('2001-03-01');
    await page.getByLabel('To (inclusive)', { exact: true }).fill('2001-03-31');
    await page.getByLabel('At most').fill('1000');
    await waitForAnswer(page, () => queryButton(page).click());
    await shownAs(page, 'Table').click();
    const expected = await lateByState(small);
    const found = (await rowsOf(page)).map((texts) => [texts[0], countIn(texts)] as const);
    t.ok(expected.size > 20, `${expected.size} states`);
    t.strictSame(new Map([...found].sort()), new Map([...expected].sort()));
  };

/** The number of bars at the bottom of the last chart: runs of drawn pixels, ignoring grid lines. */
const BARS_DRAWN = `(() => {
  const canvas = [...document.querySelectorAll('.times canvas')].at(-1);
  const [whole, plot] = [canvas, canvas.parentElement.querySelector('.u-over')].map((one) => one.getBoundingClientRect());
  const y = Math.round(plot.bottom - whole.top - 3);
  const { data } = canvas.getContext('2d').getImageData(0, y, canvas.width, 1);
  const drawn = Array.from({ length: canvas.width }, (_, x) => (data[x * 4 + 3] > 0 ? 'x' : ' ')).join('');
  return drawn.split(/ +/).filter((run) => run.length > 4).length;
})()`;

/** Counts the airports of California and their departures over time; saves the first query and runs it. */
export async function seeSegment(t: Test, { page }: Visit, site: Site): Promise<void> {
  await goTo(page, 'Start');
  await page.getByRole('button', { name: 'Ask about airports' }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Column', { exact: true }).selectOption('state');
  await page.getByLabel('state: value').fill('CA');
  await waitForAnswer(page, () => page.keyboard.press('Enter'));
  t.equal(await figureOf(page).textContent(), IN_CALIFORNIA);
  await page.getByLabel('Name of the saved query').fill('of-california');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved as of-california').waitFor();
  await fits(t, page, 'a condition with its answer');

  await page.getByRole('tab', { name: 'Trend' }).click();
  await page.getByLabel('Series 1: event').selectOption('delay');
  await datesFound(page);
  await page.getByLabel('Divide by').selectOption('weeks');
  await queryButton(page).click();
  await page.locator('.times canvas').waitFor();
  const points = /^delay events: 1 line of (\d+) points/.exec(
    (await page.locator('.times [role=img]').getAttribute('aria-label')) ?? '',
  );
  t.ok(Number(points?.[1]) > 10);
  await fits(t, page, 'a trend');
  await shownAs(page, 'Table').click();
  const counts = (await rowsOf(page)).map(countIn);
  const sum = counts.reduce((all, count) => all + count, 0);
  t.equal(sum, await departuresFrom(site, 'ca'), 'the buckets contain every departure');
  await fits(t, page, 'a table');

  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  await waitForAnswer(page, () => page.getByRole('button', { name: 'Run' }).click());
  await page.locator('.times canvas:visible').waitFor();
  // Small windows have no space between bars.
  if (page.viewportSize()?.width === WIDE.width)
    t.equal(await page.evaluate(BARS_DRAWN), Number(points?.[1]));
  await fits(t, page, 'a histogram');

  await goTo(page, 'Saved');
  const runButton = page.getByRole('button', { name: 'Run of-california' });
  await runButton.click();
  t.equal(await figureOf(page).textContent(), IN_CALIFORNIA);
  await fits(t, page, 'a saved query');
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete of-california' }).click();
  await runButton.waitFor({ state: 'detached' });
}

async function departuresFrom({ api, keys }: Site, state: string): Promise<number> {
  const level = { delay: 'count-events', between: ['2001-01-01', '2002-01-01'] };
  const body = JSON.stringify({
    ...{ dimension: 'airports', filter: [{ state: { equals: state } }], query: [level] },
  });
  const answer = await api.json({
    ...{ method: 'POST', path: '/v1/query/aggregation', key: keys.read, body },
  });
  return (answer as { result: { delay: { 'count-events': number } } }).result.delay['count-events'];
}

/** Checks points on a map that the server sends, and values on bars. */
export async function seePlaces(t: Test, { page }: Visit): Promise<void> {
  await goTo(page, 'Start');
  await page.getByRole('button', { name: 'Where are the airports?' }).click();
  await placesOf(page).waitFor();
  await page.getByText('Drawing the map…').waitFor({ state: 'detached' });
  const drawn = `(() => { const canvas = document.querySelector('.map canvas');
    const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(bytes.buffer)).size; })()`;
  t.ok(Number(await page.evaluate(drawn)) > 3, 'sea, land and places have different colours');
  await fits(t, page, 'a map');
  await goTo(page, 'Start');
  await page.getByRole('button', { name: /most frequent values of .state. in airports/ }).click();
  const bars = page.getByRole('figure').locator('li');
  await bars.first().waitFor();
  t.strictSame(await bars.first().locator('span').allTextContents(), ['ak', '', '', '263']);
  await fits(t, page, 'bars');
}

/** Creates a key, checks its access, and deletes it. */
export async function makeKey(t: Test, { page }: Visit, { keys, api }: Site): Promise<void> {
  await goTo(page, 'Keys');
  await page.getByLabel('Team key').fill(keys.team);
  await page.keyboard.press('Enter');
  await page.getByText('All rows (add filters').click();
  await page.getByRole('button', { name: 'Add a row filter' }).click();
  await page.getByLabel('Dimension of the filter').selectOption('airports');
  await page.getByLabel('Column of the filter').selectOption('state');
  await page.getByLabel('Name of the key').fill('partner');
  await page.getByRole('button', { name: 'Create the key' }).click();
  t.match(await page.getByRole('alert').textContent(), 'needs some text');
  await page.getByLabel('state: value').fill('tx');
  await page.getByRole('button', { name: 'Create the key' }).click();
  const made = (await page.locator('.made code').textContent()) ?? '';
  const countIn = async (state: string): Promise<number> => {
    const body = { 'query-name': 'n', dimension: 'airports', query: [{ state: { equals: state } }] };
    const path = '/v1/query/count/entity';
    const answer = await api.json({ method: 'POST', path, key: made, body: JSON.stringify(body) });
    return Number((answer as { readonly result: { readonly n: number } }).result.n);
  };
  t.ok((await countIn('tx')) > 0, 'rows that satisfy the filter are there');
  t.equal(await countIn('ca'), 0, 'other rows are not');
  const list = page.getByRole('region', { name: 'Custom keys of the team' });
  await list
    .getByRole('row', {
      name: /^partner quarry read only all airports: state equals tx all (not since the start|20\d\d-)/,
    })
    .waitFor();
  await fits(t, page, 'a key');
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete partner' }).click();
  await list.getByText('There are none yet').waitFor();
  const stored = String(
    await page.evaluate('JSON.stringify([sessionStorage, localStorage]) + location.href'),
  );
  t.notMatch(stored, keys.team, 'the typed team key is stored nowhere');
}

/** All of the steps above in order. */
export const wholeVisit: Visiting = async (t, visited, site) => {
  await fits(t, visited.page, 'signing in');
  await signIn(visited.page, site.keys.master);
  await seeSegment(t, visited, site);
  await seePlaces(t, visited);
  await makeKey(t, visited, site);
};

const FOCUSED = `(() => { const one = document.activeElement; if (!one) return '';
  const label = one.labels?.[0]?.innerText ?? one.getAttribute('aria-label') ?? one.innerText ?? '';
  return label.trim(); })()`;

/** Presses Tab until the element exists and has the focus. */
async function tabTo(page: Page, label: RegExp): Promise<void> {
  const lastMs = performance.now() + WAIT_MS_MAX;
  while (performance.now() < lastMs) {
    if (label.test(String(await page.evaluate(FOCUSED)))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${label}`);
}

/** The same visit with keys only: the focused element is pressed or typed into. */
export const byKeyboard: Visiting = async (t, { page }, { keys, api }) => {
  const press = async (label: RegExp, key = 'Enter'): Promise<void> => {
    await tabTo(page, label);
    await page.keyboard.press(key);
  };
  const type = async (label: RegExp, text: string): Promise<void> => {
    await tabTo(page, label);
    await page.keyboard.type(text);
  };
  const start = page.getByRole('heading', { name: 'Example questions' });
  await type(/^Key/, keys.master);
  await page.keyboard.press('Enter');
  await start.waitFor();
  await press(/^Ask about airports/);
  await press(/^Add a condition/);
  await type(/^Column/, 's');
  await type(/^state: value/, 'TX');
  await tabTo(page, /^Ask$/);
  await waitForAnswer(page, () => page.keyboard.press('Enter'));
  t.equal(await figureOf(page).textContent(), IN_TEXAS);
  await type(/^Name of the saved query/, 'by-keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('Saved as by-keyboard').waitFor();

  await press(/^Count$/, 'ArrowRight');
  await datesFound(page);
  await press(/^Ask$/);
  await page.locator('.times canvas').waitFor();

  await press(/^Saved$/);
  await press(/^Run by-keyboard$/);
  t.equal(await figureOf(page).textContent(), IN_TEXAS);
  page.once('dialog', (dialog) => void dialog.accept());
  await press(/^Delete by-keyboard$/);
  await page.getByRole('button', { name: 'Run by-keyboard' }).waitFor({ state: 'detached' });

  await press(/^Start$/);
  await start.waitFor();
  await press(/^Where are the airports/);
  await placesOf(page).waitFor();

  await press(/^Keys$/);
  await type(/^Team key/, keys.team);
  await page.keyboard.press('Enter');
  await type(/^Name of the key/, 'typed');
  await press(/^Create the key$/);
  const made = (await page.locator('.made code').textContent()) ?? '';
  const total = await api.json({ method: 'GET', path: '/v1/query/count/entity/total', key: made });
  t.match(total, { status: 'success' });
  page.once('dialog', (dialog) => void dialog.accept());
  await press(/^Delete typed$/);
  await page
    .getByRole('region', { name: 'Custom keys of the team' })
    .getByText('There are none yet')
    .waitFor();
};
