/** The console as people use it: in a real browser, on a wide and on a small window, by mouse and by keyboard alone. */
import t, { type Test } from 'tap';
import { readAirports } from '../../src/commands/demo/airports.js';
import { readFlights } from '../../src/commands/demo/flights.js';
import { NodeFileSystem } from '../../src/io/index.js';
import {
  asking,
  goTo,
  noBrowser,
  openSite,
  PHONE,
  rowsOf,
  type Site,
  sidewaysOf,
  signIn,
  type Visit,
  visit,
  WIDE,
} from './browser.js';

const site: Site | null = noBrowser === false ? await openSite() : null;
t.setTimeout(240_000);
t.teardown(() => site?.close());

/** A visit of its own; what its page may never do fails the test. */
function browse(
  name: string,
  run: (t: Test, visit: Visit, site: Site) => Promise<void>,
  viewport = WIDE,
): void {
  t.test(name, { skip: noBrowser }, async (t) => {
    if (site === null) return;
    const visited = await visit(site, viewport);
    t.teardown(() => visited.close());
    await run(t, visited, site);
    t.strictSame(visited.faults, []);
  });
}

const MARCH = [Date.UTC(2001, 2, 1) / 1000, Date.UTC(2001, 3, 1) / 1000] as const;

/** Flights of March 2001 that left more than two hours late, by the airport's state, worked out row by row. */
async function lateByState(): Promise<Map<string, number>> {
  const files = new NodeFileSystem();
  const airports = await readAirports(files);
  const states = new Map(airports.map(({ id, values }) => [id, values.state as string | null]));
  const found = new Map<string, number>();
  for await (const { count, seconds, delays, origins } of readFlights(files, true)) {
    for (let row = 0; row < count; row++) {
      const state = states.get(origins[row])?.toLowerCase();
      const isMarch = seconds[row] >= MARCH[0] && seconds[row] < MARCH[1];
      if (state !== undefined && isMarch && delays[row] > 120) found.set(state, (found.get(state) ?? 0) + 1);
    }
  }
  return found;
}

browse(
  'a newcomer finds how many flights left each state over two hours late in March',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await page.getByRole('button', { name: /delay.*events does each state/ }).click();
    await page.getByRole('figure', { name: 'delay events' }).waitFor();
    await page.getByLabel('delay: comparison').selectOption({ label: 'more than' });
    await page.getByLabel('delay: value').fill('120');
    await page.getByLabel('delay: from').fill('2001-03-01');
    await page.getByLabel('delay: to, with that day').fill('2001-03-31');
    await page.getByLabel('At most').fill('1000');
    await asking(page, () => page.getByRole('button', { name: 'Ask', exact: true }).click());
    await page.getByRole('tab', { name: 'Table' }).click();
    const expected = await lateByState();
    const found = (await rowsOf(page)).map((cells) => [cells[0], Number(cells[cells.length - 1])] as const);
    t.ok(expected.size > 20, `${expected.size} states`);
    t.strictSame(new Map([...found].sort()), new Map([...expected].sort()));
  },
);

browse(
  'a segment is counted, seen over time and saved, and the saved query runs',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await page.getByRole('button', { name: 'Ask about airports' }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('state');
    await page.getByLabel('state: value').fill('CA');
    await asking(page, () => page.keyboard.press('Enter'));
    const figure = page.locator('.figure strong');
    t.equal(await figure.textContent(), '205');

    await page.getByLabel('Save under the name').fill('of-california');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as of-california').waitFor();

    await page.getByRole('tab', { name: 'Over time' }).click();
    await page.waitForFunction(`document.querySelector('.counted input[type=date]')?.value !== ''`);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.times canvas').waitFor();
    t.match(await page.locator('.times [role=img]').getAttribute('aria-label'), /^delay events: \d+ points/);

    await goTo(page, 'Saved');
    await page.getByRole('button', { name: 'Run of-california' }).click();
    t.equal(await figure.last().textContent(), '205');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete of-california' }).click();
    await page.getByText('None yet').waitFor();
  },
);

browse(
  'places stand on a map that the server itself sends, and values on bars',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.read);
    await page.getByRole('button', { name: 'Where are the airports?' }).click();
    await page.getByText('location: 3,376 places').waitFor();
    await page.getByText('Drawing the map…').waitFor({ state: 'detached' });
    const drawn = `(() => { const canvas = document.querySelector('.map canvas');
    const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(bytes.buffer)).size; })()`;
    t.ok(Number(await page.evaluate(drawn)) > 3, 'sea, land and places have colours of their own');
    await goTo(page, 'Start');
    await page.getByRole('button', { name: /Which values of .state. do most airports have/ }).click();
    const bars = page.getByRole('figure').locator('li');
    await bars.first().waitFor();
    t.strictSame(await bars.first().locator('span').allTextContents(), ['ak', '', '', '263']);
  },
);

browse(
  'SQL is completed with the names of the database, run, and faults are shown whole',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await goTo(page, 'Query');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT COUNT(*) AS n FROM airp');
    await page.getByRole('option', { name: /airports/ }).click();
    await page.keyboard.type(" WHERE state = 'ca'");
    await asking(page, () => page.keyboard.press('Control+Enter'));
    t.equal(await page.locator('.figure strong').textContent(), '205');
    t.equal(await editor.textContent(), "SELECT COUNT(*) AS n FROM airports WHERE state = 'ca'");
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT 9007199254740993 AS n, city FROM airports LIMIT 1');
    await asking(page, () => page.keyboard.press('Control+Enter'));
    t.equal(await page.locator('.figure strong').textContent(), '9,007,199,254,740,993', 'every digit');
    await page.keyboard.type(' OFFSET nowhere');
    await asking(page, () => page.keyboard.press('Control+Enter'));
    const error = await page.getByRole('alert').textContent();
    t.match(error, /6000/);
    t.match(error, /nowhere/);
    t.match(error, /column: \d+/, 'and its place');
  },
);

browse('a team key makes a key, which opens what it was made for', async (t, { page }, { keys, api }) => {
  await signIn(page, keys.master);
  await goTo(page, 'Keys');
  await page.getByLabel('Team key').fill(keys.team);
  await page.keyboard.press('Enter');
  await page.getByLabel('Name of the key').fill('partner');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const made = (await page.locator('.made code').textContent()) ?? '';
  const total = await api.json({ method: 'GET', path: '/v1/query/count/entity/total', key: made });
  t.match(total, { status: 'success' });
  await page.getByRole('heading', { name: 'partner' }).waitFor();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete partner' }).click();
  await page.getByText('There are none yet').waitFor();
  const kept = String(await page.evaluate('JSON.stringify([sessionStorage, localStorage]) + location.href'));
  t.notMatch(kept, keys.team, 'a key that was typed there is kept nowhere');
});

browse(
  'on a phone everything is reached without scrolling sideways',
  async (t, { page }, { keys }) => {
    t.equal(await sidewaysOf(page), 0, 'signing in');
    await signIn(page, keys.master);
    for (const view of ['Start', 'Explore', 'Query', 'Saved', 'Live', 'Keys']) {
      await goTo(page, view);
      await page.getByRole('heading', { level: 1 }).and(page.locator(':visible')).first().waitFor();
      t.equal(await sidewaysOf(page), 0, view);
    }
    await goTo(page, 'Start');
    await page.getByRole('button', { name: /delay.*events does each state/ }).click();
    await page.getByRole('figure', { name: 'delay events' }).waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('delay');
    t.equal(await sidewaysOf(page), 0, 'with a condition and an answer');
    await page.getByRole('tab', { name: 'Table' }).click();
    t.equal(await sidewaysOf(page), 0, 'with a table');
  },
  PHONE,
);

browse('the keyboard alone signs in, asks, saves and reads the answer', async (t, { page }, { keys }) => {
  const focused = `(() => { const one = document.activeElement; if (!one) return '';
    const label = one.labels?.[0]?.innerText ?? one.getAttribute('aria-label') ?? one.innerText ?? '';
    return label.trim(); })()`;
  const tabTo = async (label: RegExp): Promise<void> => {
    for (let step = 0; step < 150; step++) {
      if (label.test(String(await page.evaluate(focused)))) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never came to ${label}`);
  };
  await tabTo(/^Key/);
  await page.keyboard.type(keys.master);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Questions to begin with' }).waitFor();
  await tabTo(/^Ask about airports/);
  await page.keyboard.press('Enter');
  await tabTo(/^Add a condition/);
  await page.keyboard.press('Enter');
  await tabTo(/^Column/);
  await page.keyboard.type('state');
  await tabTo(/^state: value/);
  await page.keyboard.type('TX');
  await tabTo(/^Count/);
  await page.keyboard.press('ArrowRight');
  await tabTo(/^Over time/);
  await page.keyboard.press('ArrowLeft');
  await tabTo(/^Count/);
  await tabTo(/^Ask$/);
  await asking(page, () => page.keyboard.press('Enter'));
  t.equal(await page.locator('.figure strong').textContent(), '209');
  await tabTo(/^Save under/);
  await page.keyboard.type('by-keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('Saved as by-keyboard').waitFor();
});

browse('arrow keys pressed before the page is drawn anew are all obeyed', async (t, { page }, { keys }) => {
  await signIn(page, keys.master);
  await page.getByRole('button', { name: 'Ask about airports' }).click();
  const tabs = page.getByRole('tablist').filter({ hasText: 'Over time' });
  const names = await tabs.getByRole('tab').allInnerTexts();
  await tabs.getByRole('tab').first().focus();
  const press = (key: string) =>
    `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;
  const right = press('ArrowRight');
  await page.evaluate([right, right, press('ArrowLeft'), right].join(';'));
  const chosen = tabs.locator('[aria-selected=true]');
  await chosen.filter({ hasText: names[2] }).waitFor();
  t.equal(await page.evaluate('document.activeElement.innerText'), names[2]);
});

browse('a value that is markup is shown as text', async (t, { page }, { keys, api }) => {
  const markup = '<img src=x onerror="document.title=1">';
  const body = JSON.stringify({ evil: { dimension: 'airports', state: markup, city: markup, name: markup } });
  await api.json({ method: 'POST', path: '/v1/insert', key: keys.master, body });
  await signIn(page, keys.master);
  await goTo(page, 'Query');
  await page.getByRole('textbox', { name: 'SQL' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(
    `SELECT state AS "<b>", COUNT(*) AS n FROM airports WHERE [entity-id] IN ('evil', 'jfk') GROUP BY state ORDER BY n`,
  );
  await page.keyboard.press('Escape');
  await asking(page, () => page.keyboard.press('Control+Enter'));
  await page.getByRole('figure').waitFor();
  t.match(String(await page.getByRole('figure').textContent()), markup);
  await page.getByRole('tab', { name: 'Table' }).click();
  t.ok((await rowsOf(page)).some(([cell]) => cell === markup));
  t.equal(await page.locator('img').count(), 0);
  t.equal(await page.title(), 'Quarry console');
  const remove = JSON.stringify({ dimension: 'airports', query: [{ 'entity-id': { equals: 'evil' } }] });
  await api.json({ method: 'POST', path: '/v1/delete', key: keys.master, body: remove });
});

browse('a user of a permission group signs in, and out again', async (t, { page }, { keys, api }) => {
  const asTeam = (path: string, body: object) =>
    api.json({ method: 'POST', path, key: keys.team, body: JSON.stringify(body) });
  const group = {
    'group-name': 'readers',
    'allowed-permissions': [1, 5, 6, 12],
    'allowed-databases': ['quarry'],
  };
  const password = 'correct horse';
  await asTeam('/v1/permission_groups', group);
  await asTeam('/v1/users', { email: 'ada@example.com', password, 'permission-group': 'readers' });
  await page.getByRole('tab', { name: 'As a user' }).click();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  t.match(await page.getByRole('alert').textContent(), /502.*email or password is wrong/);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Questions to begin with' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key', { exact: true }).waitFor();
  t.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0);
});

browse(
  'a key that ends brings back the sign-in, and what was typed is kept',
  async (t, { page }, { keys, api }) => {
    const custom = (method: 'POST' | 'DELETE', more: object) =>
      api.json({
        ...{ method, path: '/v1/database/custom_key', key: keys.team },
        body: JSON.stringify({
          'database-name': 'quarry',
          'custom-database-key': { 'key-name': 'brief', ...more },
        }),
      }) as Promise<{ key: string }>;
    const { key } = await custom('POST', { 'key-type': 'write-read' });
    await signIn(page, key);
    await goTo(page, 'Query');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT COUNT(*) AS kept FROM earthquakes');
    await custom('DELETE', {});
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your session is over').waitFor();
    await signIn(page, keys.master);
    t.equal(await editor.textContent(), 'SELECT COUNT(*) AS kept FROM earthquakes');
    await asking(page, () => page.getByRole('button', { name: 'Run' }).click());
    t.equal(await page.locator('.figure strong').textContent(), '1,707');
  },
);

browse(
  'a team key alone lists databases and makes keys, and says what it cannot do',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.team);
    await page.getByText('A key of a database is needed here').waitFor();
    const [row] = await page.locator('tbody tr').all();
    t.strictSame((await row.locator('td').allTextContents()).slice(0, 2), ['quarry', 'production']);
    await goTo(page, 'Keys');
    t.equal(await page.getByLabel('Database').inputValue(), 'quarry');
  },
);

browse('the live view shows ingest, queries, memory, log and checkpoint', async (t, { page }, { keys }) => {
  await signIn(page, keys.read);
  await goTo(page, 'Live');
  await page.getByText('ready', { exact: true }).waitFor();
  await page.locator('.times canvas').nth(3).waitFor();
  const tiles = await page.locator('dt').allInnerTexts();
  t.strictSame(tiles, ['State', 'Ingest', 'Queries', 'Memory', 'Log', 'Checkpoint']);
  await page.getByRole('button', { name: 'Change to dark' }).click();
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
});
