/**
 * A dashboard and a read key in one address, for those who have no key of their own. Invariants: a link carries only a key that
 * cannot write; it is in the fragment of the address, which browsers send to no server.
 */
import { jsonOfText, textOfJson } from '../query/share.js';
import { type Client, RequestError } from '../server/client.js';
import { type Board, boardOfText, boardText } from './board.js';

export const SHARED = '#shared/';

export interface SharedBoard {
  readonly board: Board;
  readonly key: string;
}

/** The fragment of the link. */
export const linkOf = ({ board, key }: SharedBoard): string =>
  SHARED + textOfJson({ key, board: JSON.parse(boardText(board)) });

/** What a link carries; null = it is damaged. */
export function sharedOf(fragment: string): SharedBoard | null {
  if (!fragment.startsWith(SHARED)) return null;
  try {
    const { key, board } = jsonOfText(fragment.slice(SHARED.length)) as Record<string, unknown>;
    return typeof key === 'string' ? { key, board: boardOfText(JSON.stringify(board)) } : null;
  } catch {
    return null;
  }
}

/** The codes with which the server refuses a key that may not insert: before it reads the body. */
const MAY_NOT_WRITE: ReadonlySet<number | null> = new Set([503, 507]);

/**
 * Throws a sentence unless the key can only read, and rejects with RequestError if it can do nothing. The question is an insert
 * of a body that is no JSON, so that nothing is inserted if the key could.
 */
export async function requireReadKey(client: Client): Promise<void> {
  await client.request({ method: 'GET', path: '/v1/column' });
  const refusal: unknown = await client
    .request({ method: 'POST', path: '/v1/insert', body: '[' })
    .catch((error: unknown) => error);
  if (refusal instanceof RequestError && MAY_NOT_WRITE.has(refusal.code)) return;
  if (refusal instanceof RequestError && refusal.status === 0) throw refusal;
  throw new Error('This key can change data. A link may carry only a key that reads.');
}
