/** From when to when a column has events: the months that hold any. */

import { tablesOf } from '../answer/table.js';
import type { Window } from '../ask/draft.js';
import type { Client } from '../server/client.js';

/** Of a column without events: empty. Rejects as `Client.ask` does. */
export async function eventWindow(client: Client, dimension: string, column: string): Promise<Window> {
  const level = { [column]: 'count-events', between: ['1990-01-01', 'now'], interval: 'months' };
  const body = JSON.stringify({ dimension, query: [level] });
  const { json } = await client.ask({ method: 'POST', path: '/v1/query/aggregation', body });
  const months = tablesOf(json)[0]?.rows.map(([from]) => String(from).slice(0, 10)) ?? [];
  if (months.length === 0) return { from: '', to: '' };
  return { from: months[0], to: lastDayOf(months[months.length - 1]) };
}

const DAY_MS = 86_400_000;

/** Of the month that begins on that day, but not behind today. */
function lastDayOf(firstDay: string): string {
  const next = new Date(firstDay);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const last = Math.min(next.getTime() - DAY_MS, Date.now());
  return new Date(last).toISOString().slice(0, 10);
}
