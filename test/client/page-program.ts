/** The program that pages run: see page.ts. */
import { Quarry, QuarryError } from '../../src/client/index.js';
import type { PageResult } from './page.js';

async function runInPage(key: string, url: string): Promise<PageResult> {
  const quarry = new Quarry({ url, key });
  await quarry.createColumns({ name: 'size', type: 'integer' });
  const inserter = quarry.inserter();
  for (let n = 0; n < 1_200; n++) await inserter.add(`p${n}`, { size: n });
  await inserter.close();
  await quarry.insert({ big: { size: 2n ** 62n } });
  const query = [{ size: { gte: 0 } }];
  const { q } = await quarry.count({ 'query-name': 'q', query });
  let rows = 0;
  for await (const row of quarry.extractRows({ query, columns: ['size'], limit: 5_000 }))
    rows += row.size === undefined ? 0 : 1;
  const [{ size }] = await quarry.query("SELECT size FROM [default] WHERE [entity-id] = 'big'");
  const refusal = await quarry.query('SELECT nothing FROM [default]').catch((error) => error);
  return {
    inserted: inserter.insertedCount,
    count: q,
    big: String(size),
    rows,
    code: refusal instanceof QuarryError ? refusal.code : 0,
  };
}

Object.assign(globalThis, { runInPage });
