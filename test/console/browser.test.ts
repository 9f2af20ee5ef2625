/** The console in a real browser, in a wide and in a small window, by mouse and by keyboard only. */
import t from 'tap';
import {
  goTo,
  PHONE,
  rowsOf,
  shownAs,
  sidewaysOf,
  signIn,
  violationsOf,
  visitors,
  waitForAnswer,
} from './browser.js';
import { byKeyboard, makeKey, newcomer, seePlaces, seeSegment, wholeVisit } from './visits.js';

t.setTimeout(480_000);
const browse = await visitors();

browse('a newcomer finds how many flights left each state over two hours late in March', newcomer(true));

browse(
  'a segment is counted, shown over time and saved, and the saved query runs',
  async (t, visited, site) => {
    await signIn(visited.page, site.keys.master);
    await seeSegment(t, visited, site);
  },
);

browse('places are drawn on a map from the server itself, and values as bars', async (t, visited, site) => {
  await signIn(visited.page, site.keys.read);
  await seePlaces(t, visited);
});

browse(
  'SQL is completed with the names of the database and run, and errors are shown in full',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await goTo(page, 'Query');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT COUNT(*) AS n FROM airp');
    await page.getByRole('option', { name: /airports/ }).click();
    await page.keyboard.type(" WHERE state = 'ca'");
    await waitForAnswer(page, () => page.keyboard.press('Control+Enter'));
    t.equal(await page.locator('.figure strong').textContent(), '205');
    t.equal(await editor.textContent(), "SELECT COUNT(*) AS n FROM airports WHERE state = 'ca'");
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT 9007199254740993 AS n, city FROM airports LIMIT 1');
    await waitForAnswer(page, () => page.keyboard.press('Control+Enter'));
    t.equal(await page.locator('.figure strong').textContent(), '9,007,199,254,740,993', 'every digit');
    await page.keyboard.type(' OFFSET nowhere');
    await waitForAnswer(page, () => page.keyboard.press('Control+Enter'));
    const error = await page.getByRole('alert').textContent();
    t.match(error, /6000/);
    t.match(error, /nowhere/);
    t.match(error, /column: \d+/, 'and its position');
    t.equal(await page.locator('.error-mark').textContent(), 'nowhere', 'underlined where it is');

    await page.getByRole('button', { name: 'New query' }).click();
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT COUNT(*) AS n FROM airports WHERE ');
    await page.keyboard.press('Escape');
    const schema = page.getByRole('complementary', { name: 'Dimensions and columns' });
    await schema.getByText('airports', { exact: true }).first().click();
    await schema.getByRole('button', { name: 'state', exact: true }).click();
    await page.keyboard.type(" = 'ca' AND cit = 'x'");
    await page.keyboard.press('Escape');
    await waitForAnswer(page, () => page.keyboard.press('Control+Enter'));
    await page.getByRole('button', { name: 'Use “city” instead' }).click();
    t.match(await editor.textContent(), "WHERE [state] = 'ca' AND city = 'x'");
    await page.getByRole('button', { name: 'Close query 2' }).click();
    t.match(await editor.textContent(), 'OFFSET nowhere', 'the other tab has its text');

    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type("select state, count(*) as n from airports where state <> 'x' group by state");
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Format' }).click();
    t.equal(
      (await editor.locator('.cm-line').allTextContents()).join('|'),
      "SELECT state, count(*) AS n|FROM airports|WHERE state <> 'x'|GROUP BY state",
    );
    await page.getByRole('button', { name: 'Explain' }).click();
    const plan = page.getByRole('figure', { name: /Operators/ });
    await plan.getByText('scan', { exact: true }).waitFor();
    t.ok(await plan.getByText(/ rows · .*s/).count(), 'with rows and times');
    t.strictSame(await violationsOf(page), []);
    await page.locator('select').first().selectOption('/v1/query/overlap');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('figure', { name: 'entities in exactly these segments' }).waitFor();
  },
);

browse('a team key creates a key, which has the access that was chosen for it', async (t, visited, site) => {
  await signIn(visited.page, site.keys.master);
  await makeKey(t, visited, site);
});

browse(
  'everything is usable on a phone without horizontal scrolling',
  async (t, { page }, { keys }) => {
    t.equal(await sidewaysOf(page), 0, 'signing in');
    await signIn(page, keys.master);
    for (const view of ['Start', 'Explore', 'Query', 'Saved', 'Dashboards', 'Live', 'Keys']) {
      await goTo(page, view);
      await page.getByRole('heading', { level: 1 }).and(page.locator(':visible')).first().waitFor();
      t.equal(await sidewaysOf(page), 0, view);
    }
    await goTo(page, 'Start');
    await page.getByRole('button', { name: /delay.*events are there for each state/ }).click();
    await page.getByRole('figure', { name: 'delay events' }).waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('delay');
    t.equal(await sidewaysOf(page), 0, 'with a condition and an answer');
    await shownAs(page, 'Table').click();
    t.equal(await sidewaysOf(page), 0, 'with a table');
  },
  PHONE,
);

browse('on a phone a segment, a histogram, a map, a saved query and a key are made', wholeVisit, PHONE);

browse(
  'signing in, querying, saving, viewing a map and creating a key are possible by keyboard only',
  byKeyboard,
);

browse(
  'dates that arrive late do not replace choices that were made meanwhile',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await page.getByRole('button', { name: 'Ask about airports' }).click();
    const show = (name: string) => page.getByRole('tab', { name, exact: true });
    /** Runs an action while the page waits for the dates of events that `open` requests, then lets them arrive. */
    const before = async (act: () => Promise<void>, open = () => show('Trend').click()): Promise<void> => {
      let answer = (): void => {};
      const released = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/v1/query/aggregation', (route) => released.then(() => route.continue()));
      const sentRequest = page.waitForRequest('**/v1/query/aggregation');
      await open();
      const request = await sentRequest;
      await act();
      answer();
      await (await request.response())?.finished();
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
      await page.unroute('**/v1/query/aggregation');
    };
    await before(async () => {
      await show('Count').click();
      await page.getByRole('button', { name: 'Add a condition' }).click();
    });
    t.equal(await show('Count').getAttribute('aria-selected'), 'true');
    t.equal(await page.locator('.condition').count(), 1);
    await before(() => page.getByLabel('From', { exact: true }).fill('2001-02-01'));
    t.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2001-02-01');
    t.equal(await page.getByLabel('To (inclusive)', { exact: true }).inputValue(), '');

    await goTo(page, 'Start');
    await before(
      () => page.getByLabel('At most').fill('7'),
      () => page.getByRole('button', { name: /delay.*events are there for each state/ }).click(),
    );
    t.equal(await page.getByLabel('At most').inputValue(), '7');
    t.equal(
      await page.getByText('The answer appears here').count(),
      1,
      'no request is sent without the user',
    );
  },
);

browse('a click at the moment when a view appears is not lost', async (t, { page }, { keys }) => {
  const press = (text: string) =>
    `[...document.querySelectorAll('button')].find((one) => one.innerText === '${text}').click()`;
  await signIn(page, keys.master);
  await page.getByRole('button', { name: 'Ask about airports' }).waitFor();
  await page.evaluate(`new Promise((pressed) => {
    addEventListener('hashchange', () => { ${press('Add a condition')}; pressed(); }, { once: true });
    ${press('Ask about airports')};
  })`);
  await page.locator('.figure').waitFor();
  t.equal(await page.locator('.condition').count(), 1);
});

browse(
  'all arrow keys that are pressed before the page is redrawn take effect',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.master);
    await page.getByRole('button', { name: 'Ask about airports' }).click();
    const tabs = page.getByRole('tablist').filter({ hasText: 'Trend' });
    await tabs.getByRole('tab').first().focus();
    const names = await tabs.getByRole('tab').allInnerTexts();
    const press = (key: string) =>
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;
    const right = press('ArrowRight');
    await page.evaluate([right, right, press('ArrowLeft'), right].join(';'));
    const chosen = tabs.locator('[aria-selected=true]');
    await chosen.filter({ hasText: names[2] }).waitFor();
    t.equal(await page.evaluate('document.activeElement.innerText'), names[2]);
  },
);

browse('a value that contains markup is shown as text', async (t, { page }, { keys, api }) => {
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
  await waitForAnswer(page, () => page.keyboard.press('Control+Enter'));
  await page.getByRole('figure').waitFor();
  t.match(String(await page.getByRole('figure').textContent()), markup);
  await shownAs(page, 'Table').click();
  t.ok((await rowsOf(page)).some(([text]) => text === markup));
  t.equal(await page.locator('img').count(), 0);
  t.equal(await page.title(), 'Quarry console');
  const remove = JSON.stringify({ dimension: 'airports', query: [{ 'entity-id': { equals: 'evil' } }] });
  await api.json({ method: 'POST', path: '/v1/delete', key: keys.master, body: remove });
});

browse('a user of a permission group is made, signs in and out', async (t, { page }, { keys }) => {
  const password = 'correct horse';
  await signIn(page, keys.team);
  await goTo(page, 'Keys');
  await page.getByLabel('Name of the group').fill('readers');
  await page.getByLabel('read saved queries').uncheck();
  await page.getByRole('button', { name: 'Make the group' }).click();
  const groups = page.getByRole('region', { name: 'Permission groups' });
  await groups.getByRole('row', { name: /readers 0 1, 5, 6, 12 quarry always/ }).waitFor();
  await page.getByLabel('E-mail of the user').fill('ada@example.com');
  await page
    .getByLabel('Permission group', { exact: true })
    .and(page.locator('select'))
    .selectOption('readers');
  await page.getByLabel('Password of the user').fill(password);
  await page.getByRole('button', { name: 'Make the user' }).click();
  const users = page.getByRole('region', { name: 'Users' });
  await users.getByRole('row', { name: /ada@example.com readers/ }).waitFor();
  await page.getByRole('button', { name: 'Edit ada@example.com' }).click();
  await page.keyboard.type('Ada');
  t.strictSame(await violationsOf(page), []);
  await page.getByRole('button', { name: 'Change the user' }).click();
  await users.getByRole('row', { name: /ada@example.com Ada readers/ }).waitFor();
  await page.getByRole('button', { name: 'Edit readers' }).click();
  await page.getByLabel('mon', { exact: true }).check();
  await page.getByLabel('From (UTC)').fill('07:00');
  await page.getByLabel('To (UTC)').fill('7');
  await page.getByRole('button', { name: 'Change the group' }).click();
  t.match(await page.getByRole('alert').textContent(), /7000.*HH:MM/);
  await page.getByLabel('To (UTC)').fill('');
  await page.getByLabel('From (UTC)').fill('');
  await page.getByLabel('mon', { exact: true }).uncheck();
  await page.getByRole('button', { name: 'Change the group' }).click();
  await groups.getByRole('row', { name: /readers 1 1, 5, 6, 12 quarry always/ }).waitFor();
  await page.getByLabel('Name of the group').fill('gone');
  await page.getByRole('button', { name: 'Make the group' }).click();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete gone' }).click();
  await groups.getByText('gone').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('tab', { name: 'As a user' }).click();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  t.match(await page.getByRole('alert').textContent(), /502.*email or password is wrong/);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Example questions' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key', { exact: true }).waitFor();
  t.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0);
});

browse('refused lines are counted by reason and inserted again', async (t, { page }, { keys, api }) => {
  const lines = '{"id": "zz1", "state": "zz"}\n{"state": "without an ID"}\n';
  await api.json({
    ...{ method: 'POST', path: '/v1/insert/lines?dimension=airports&id=id&on-error=quarantine' },
    ...{ key: keys.master, body: lines, contentType: 'application/x-ndjson' },
  });
  await signIn(page, keys.master);
  const refused = page.getByRole('region', { name: 'Refused lines' });
  await refused.getByRole('heading', { name: 'airports' }).waitFor();
  const [[code, , count]] = await rowsOf(page);
  t.match(code, /^[\d,]+$/);
  t.equal(count, '1');
  t.strictSame(await violationsOf(page), []);
  await refused.getByRole('button', { name: 'Insert them again' }).click();
  await refused.getByText('0 inserted, 1 still refused.').waitFor();
  await refused.getByRole('button', { name: 'Look at the lines' }).click();
  await waitForAnswer(page, () => page.getByRole('button', { name: 'Run', exact: true }).click());
  await page.getByText('without an ID').first().waitFor();
  const as = (path: string, body: object, method: 'POST' | 'DELETE' = 'POST') =>
    api.json({ method, path, key: keys.master, body: JSON.stringify(body) });
  await as('/v1/dimension', { 'api-name': 'airports-quarantine' }, 'DELETE');
  await as('/v1/delete', { dimension: 'airports', query: [{ 'entity-id': { equals: 'zz1' } }] });
});

browse(
  'after a key expires the sign-in appears again, and typed text is preserved',
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
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, keys.master);
    t.equal(await editor.textContent(), 'SELECT COUNT(*) AS kept FROM earthquakes');
    await waitForAnswer(page, () => page.getByRole('button', { name: 'Run' }).click());
    t.equal(await page.locator('.figure strong').textContent(), '1,707');
  },
);

browse(
  'with only a team key the console lists databases and creates keys, and reports what the key does not allow',
  async (t, { page }, { keys }) => {
    await signIn(page, keys.team);
    await page.getByText('This view requires the key of a database').waitFor();
    const row = page.locator('tbody tr').first();
    await row.waitFor();
    t.strictSame((await row.locator('td').allTextContents()).slice(0, 2), ['quarry', 'production']);
    await goTo(page, 'Keys');
    t.equal(await page.getByLabel('Database', { exact: true }).inputValue(), 'quarry');
  },
);

browse('a running query is stopped, and then listed as slow', async (t, { page }, { keys, api }) => {
  const body =
    'SELECT COUNT(*) AS n FROM generate_series(1, 100000) AS a (x), generate_series(1, 100000) AS b (y) WHERE x * y % 7 = 3';
  const request = {
    method: 'POST',
    path: '/v1/sql',
    key: keys.read,
    body,
    contentType: 'application/sql',
  } as const;
  const answer = api.json(request).catch((error: unknown) => error);
  await signIn(page, keys.master);
  await goTo(page, 'Live');
  const row = page.getByRole('region', { name: 'Running queries' }).locator('tbody tr');
  // Slow queries are listed from one second.
  await row
    .filter({ hasText: /[1-9][\d.]* s/ })
    .filter({ hasText: body.slice(0, 60) })
    .waitFor();
  t.match(await row.textContent(), /^POST \/v1\/sql .*read-/);
  const stop = row.getByRole('button', { name: /^Stop POST/ });
  page.once('dialog', (dialog) => void dialog.dismiss());
  await stop.click();
  t.equal(await row.count(), 1, 'without a confirmation it still runs');
  page.once('dialog', (dialog) => void dialog.accept());
  await stop.click();
  await page.getByText('The query was stopped.').waitFor();
  t.match(await answer, { code: 9007 });
  // The server makes a sample every few seconds, and the next one has this query.
  await page.getByText(/^half within/).waitFor();
  await page.getByRole('img', { name: /^Queries per second: [1-9]\d* points/ }).waitFor();
  await row.waitFor({ state: 'detached' });
  const slow = page.getByRole('region', { name: 'Slow queries' });
  await slow.getByRole('button', { name: 'Refresh' }).click();
  await slow.getByText('error 9007').waitFor();
  await slow.locator('summary').first().click();
  t.equal(await sidewaysOf(page), 0);
  t.strictSame(await violationsOf(page), []);
});

browse('the live view shows ingest, queries, memory, log and checkpoint', async (t, { page }, { keys }) => {
  await signIn(page, keys.read);
  await goTo(page, 'Live');
  await page.getByText('ready', { exact: true }).waitFor();
  await page.locator('.times canvas').nth(5).waitFor();
  await page.getByText(/^The whole server since its start, 20\d\d.* UTC; a restart begins anew$/).waitFor();
  const tiles = await page.locator('dt').allInnerTexts();
  t.strictSame(tiles, ['State', 'Ingest', 'Queries', 'Memory', 'Log', 'Checkpoint']);
  await page.getByRole('button', { name: 'Change to dark' }).click();
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
});
