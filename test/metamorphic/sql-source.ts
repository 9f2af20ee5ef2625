/** FROM of a generated SELECT: the first table, in some cases joined with tables to which it links. */
import type { Prng } from '../../src/base/index.js';
import { forms, type Piece, type Printed, piece, TEXT } from '../support/sql/sql-piece.js';
import type { Table, World } from '../support/sql/sql-world.js';

/** FROM, and its columns. */
export interface Source {
  readonly from: Printed;
  readonly columns: readonly Piece[];
  /** The entity ID of the first table. */
  readonly id: Piece;
  /** No two rows have the same values of these columns. */
  readonly table: Table;
  /** The name of the first table in the other engines. */
  readonly alias: string;
}

const isPlainName = (name: string): boolean => /^[a-z_]+$/.test(name);

function columnText(prng: Prng, prefix: string, name: string): string {
  const bare = isPlainName(name) && prng.chance(0.7) ? name : `[${name}]`;
  return `${prefix}${bare}`;
}

export function sourceOf(prng: Prng, world: World): Source {
  const [table, ...others] = world;
  const joined = others.length > 0 && prng.chance(0.35);
  const prefix = joined ? 'f.' : prng.chance(0.15) ? `${table.name}.` : '';
  const columnsOf = (of: Table, before: string, alias: string): Piece[] =>
    of.columns.map(({ name, kind }) => {
      const other = `${alias}."${name}"`;
      return piece(kind, forms(columnText(prng, before, name), other, other));
    });
  const idText = 'f."entity-id"';
  const id = piece(TEXT, forms(`${prefix}[entity-id]`, idText, idText));
  const columns = [...columnsOf(table, prefix, 'f'), id];
  let quarry = joined ? `${table.name} ${prng.chance(0.5) ? 'AS ' : ''}f` : table.name;
  let other = `"${table.name}" AS f`;
  if (joined) {
    const taken: { readonly table: Table; readonly alias: string }[] = [{ table, alias: 'f' }];
    for (let count = prng.between(1, 2); count > 0; count--) {
      const from = prng.pick(taken.filter((one) => one.table.links.length > 0));
      const link = prng.pick(from.table.links);
      const to = others.find(({ name }) => name === link.table) as Table;
      const alias = `j${taken.length}`;
      const word = prng.pick(['JOIN', 'INNER JOIN', 'LEFT JOIN', 'LEFT OUTER JOIN']);
      const sides = [`${from.alias}.${link.column}`, `${alias}.[entity-id]`];
      if (prng.chance(0.3)) sides.reverse();
      quarry += ` ${word} ${to.name} ${alias} ON ${sides.join(' = ')}`;
      other += ` ${word} "${to.name}" AS ${alias} ON ${from.alias}."${link.column}" = ${alias}."entity-id"`;
      columns.push(...columnsOf(to, `${alias}.`, alias));
      const toId = `${alias}."entity-id"`;
      columns.push(piece(TEXT, forms(`${alias}.[entity-id]`, toId, toId)));
      taken.push({ table: to, alias });
    }
  }
  return { from: forms(quarry, other, other), columns, id, table, alias: 'f' };
}
