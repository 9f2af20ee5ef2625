/** The window of a column's events: from the first to the last month with events. */

import { tablesOf } from '../../answer/table.js';
import type { Window } from '../../query/fields.js';
import type { Client } from '../../server/client.js';

/** The window of a column's events; empty if there are none. Rejects with the errors of `Client.request`. */
export async function windowOfEvents(client: Client, dimension: string, column: string): Promise<Window> {
  const level = { [column]: 'count-events', between: ['1990-01-01', 'now'], interval: 'months' };
  const body = JSON.stringify({ dimension, query: [level] });
  const { json } = await client.request({ method: 'POST', path: '/v1/query/aggregation', body });
  const months = tablesOf(json)[0]?.rows.map(([from]) => String(from).slice(0, 10)) ?? [];
  if (months.length === 0) return { from: '', to: '' };
  return { from: months[0], to: lastDayOf(months[months.length - 1]) };
}

const DAY_MS = 86_400_000;

/** The last day of the month that begins on `firstDay`, or today if that is earlier. */
function lastDayOf(firstDay: string): string {
  const next = new Date(firstDay);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const last = Math.min(next.getTime() - DAY_MS, Date.now());
  return new Date(last).toISOString().slice(0, 10);
}
