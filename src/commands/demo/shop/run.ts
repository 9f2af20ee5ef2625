/** Loads the shop into a server, saves its questions, asks them and prints the answers. */
import type { Output } from '../../progress.js';
import type { RemoteClient } from '../../remote/client.js';
import type { LoadReport } from '../load.js';
import type { InsertBody } from '../model.js';
import { answersAboutShop, type ShopAnswer } from './questions.js';
import { PURCHASE, SHOP_COLUMNS, SHOP_DIMENSION, visitorBodies } from './shop.js';

/** What the shop takes of the demo around it. */
export interface ShopContext {
  readonly client: RemoteClient;
  readonly masterKey: string;
  readonly out: Output;
  readonly elapsedMs: () => number;
  readonly load: (what: string, total: number, bodies: AsyncGenerator<InsertBody>) => Promise<LoadReport>;
}

/** Creates the dimension with its columns and inserts the visitors. */
export async function loadShop({ client, masterKey, load }: ShopContext, visitors: number): Promise<void> {
  const make = (path: string, body: unknown): Promise<unknown> =>
    client.json({ method: 'POST', path, key: masterKey, body: JSON.stringify(body) });
  await make('/v1/dimension', SHOP_DIMENSION);
  await make('/v1/column', SHOP_COLUMNS);
  await make('/v1/column/relation', PURCHASE);
  await load('visitors', visitors, visitorBodies(visitors));
}

/** Saves the questions about the shop and prints the answer to each. */
export async function tourShop({ client, masterKey, out, elapsedMs }: ShopContext): Promise<ShopAnswer[]> {
  const answers = await answersAboutShop(client, masterKey, elapsedMs);
  out.write('\nA generated shop; its questions are saved queries, which the console opens under Saved:\n');
  for (const { question, answer, ms } of answers) {
    out.write(`\n    ${question.text}\n    GET /v1/query/saved/${question.name}\n`);
    out.write(`    = ${question.lines(answer as never).join('\n      ')}   (${ms.toFixed(1)} ms)\n`);
  }
  return answers;
}
