/** Sends the tables of a generated world to a server through its JSON interface. */
import type { ConformanceServer } from '../conformance-server.js';
import { insertText, type Table, type World } from './sql-world.js';

/** The methods of a server that loading requires. */
type SqlTarget = Pick<ConformanceServer, 'post' | 'sql'>;

const ROWS_PER_REQUEST = 500;

async function post(server: SqlTarget, path: string, body: string): Promise<void> {
  const { status, text } = await server.post(path, body);
  if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
}

export async function insertWorld(server: SqlTarget, world: World): Promise<void> {
  const columns = world.flatMap(({ name: dimension, columns, events }) =>
    [...columns, ...events].map(({ name, model }) => ({ name, 'api-name': name, dimension, ...model })),
  );
  await post(server, '/v1/column', JSON.stringify(columns));
  // Columns create the dimensions of the other tables.
  for (const { name, columns, events } of world) {
    if (columns.length + events.length > 0) continue;
    await post(server, '/v1/dimension', JSON.stringify([{ name, 'api-name': name }]));
  }
  for (const table of world) {
    await insertGhosts(server, table);
    for (let from = 0; from < table.rows.length; from += ROWS_PER_REQUEST) {
      await post(server, '/v1/insert', insertBody(table, from, from + ROWS_PER_REQUEST));
    }
  }
}

/**
 * Inserts rows of other entities, and of the same entities with other values, and deletes them before the table's own
 * rows are inserted.
 */
async function insertGhosts(server: SqlTarget, table: Table): Promise<void> {
  const shifted = table.rows.slice(0, 100).map((row, at) => ({
    ...row,
    id: at % 2 === 0 ? `ghost${at}` : table.rows[table.rows.length - 1 - at].id,
  }));
  const ghosts = { ...table, rows: [...new Map(shifted.map((row) => [row.id, row])).values()] };
  await post(server, '/v1/insert', insertBody(ghosts, 0, ghosts.rows.length));
  const { status, text } = await server.sql(`DELETE FROM ${table.name} WHERE [entity-id] IS NOT NULL`);
  if (status !== 200) throw new Error(`DELETE: HTTP ${status} ${text}`);
}

function insertBody({ name, columns, events, rows }: Table, from: number, to: number): string {
  const entities = rows.slice(from, to).map(({ id, values, events: happened }) => {
    const fields = values.flatMap((value, at) =>
      value === null ? [] : [`${JSON.stringify(columns[at].name)}:${insertText(value, columns[at].kind)}`],
    );
    const lists = happened.flatMap((list, at) => {
      if (list.length === 0) return [];
      const items = list.map(
        ({ value, date }) => `{"value":${insertText(value, events[at].kind)},"date":"${date}"}`,
      );
      return [`${JSON.stringify(events[at].name)}:[${items.join(',')}]`];
    });
    return `${JSON.stringify(id)}:{${[`"dimension":${JSON.stringify(name)}`, ...fields, ...lists].join(',')}}`;
  });
  return `{${entities.join(',')}}`;
}
