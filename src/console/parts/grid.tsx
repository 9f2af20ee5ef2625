/** A table of an answer: its head stays visible, numbers are right-aligned, and long tables are shown in steps. */
import { useState } from 'preact/hooks';
import { formatMoment } from '../answer/format.js';
import { type CellKind, cellText, type Table } from '../answer/table.js';
import type { Json } from '../server/json.js';
import { ENTITY_ID } from '../server/model.js';

const ROWS_PER_PAGE = 200;

interface GridProps {
  readonly table: Table;
  /** Called with the ID of an entity that is clicked; absent = IDs are not buttons. */
  readonly onEntity?: (id: string) => void;
}

export function Grid({ table, onEntity }: GridProps) {
  const [shown, setShown] = useState(ROWS_PER_PAGE);
  const { columns, rows } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what can be focused
    <section class="grid" aria-label="Rows" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            // Rows of an answer have no other key and never move.
            <tr key={index}>
              {columns.map(({ title, kind }, at) => (
                <td key={title} class={kind}>
                  {onEntity !== undefined && title === ENTITY_ID ? (
                    <button type="button" class="quiet" onClick={() => onEntity(cellText(row[at]))}>
                      {cellText(row[at])}
                    </button>
                  ) : (
                    <Cell cell={row[at]} kind={kind} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" class="quiet more" onClick={() => setShown(shown + ROWS_PER_PAGE * 5)}>
          Show more of {rows.length} rows
        </button>
      )}
    </section>
  );
}

function Cell({ cell, kind }: { readonly cell: Json; readonly kind: CellKind }) {
  if (cell === null) return <span class="missing">–</span>;
  const text = cellText(cell);
  if (kind === 'moment') return <>{formatMoment(text)}</>;
  return <>{kind === 'number' ? groupedDigits(text) : text}</>;
}

/** Groups digits by thousands without losing any. */
const groupedDigits = (text: string): string => {
  const [whole, fraction] = text.split('.');
  if (!/^-?\d+$/.test(whole)) return text;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};
