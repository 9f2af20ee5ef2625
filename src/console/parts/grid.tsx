/**
 * A table of an answer: sorted by a click on a column's title, filtered by a text, copied and downloaded. Its head stays
 * visible, numbers are right-aligned, and long tables are shown in steps.
 */
import { useMemo, useState } from 'preact/hooks';
import { csvOf, filteredRows, type Sorting, sortedRows, tabbedOf } from '../answer/arrange.js';
import { formatMoment, plural } from '../answer/format.js';
import { parquetOf } from '../answer/parquet.js';
import { type CellKind, cellText, type Table } from '../answer/table.js';
import type { Json } from '../server/json.js';
import { ENTITY_ID } from '../server/model.js';
import { CopyButton, Entry, ErrorBox } from './controls.js';
import { download } from './download.js';

const ROWS_PER_PAGE = 200;
/** Shorter tables have no filter. */
const FILTERED_ROWS_MIN = 8;

interface GridProps {
  readonly table: Table;
  /** Called with the ID of an entity that is clicked; absent = IDs are not buttons. */
  readonly onEntity?: (id: string) => void;
}

export function Grid({ table, onEntity }: GridProps) {
  const [shown, setShown] = useState(ROWS_PER_PAGE);
  const [filter, setFilter] = useState('');
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { columns } = table;
  const rows = useMemo(
    () => sortedRows(table, filteredRows(table.rows, filter), sorting),
    [table, filter, sorting],
  );
  const save = (): void => download('quarry.csv', new Blob([csvOf(table, rows)], { type: 'text/csv' }));
  const saveParquet = (): void => {
    setError(null);
    parquetOf(table, rows).then((bytes) => download('quarry.parquet', new Blob([bytes])), setError);
  };
  return (
    <>
      <div class="row wrap grid-tools">
        {table.rows.length >= FILTERED_ROWS_MIN && (
          <Entry
            quiet
            label="Filter rows"
            placeholder="Filter rows"
            type="search"
            value={filter}
            onChange={setFilter}
          />
        )}
        {filter !== '' && <span class="facts">{plural(rows.length, 'row')}</span>}
        <CopyButton text={() => tabbedOf(table, rows)} label="Copy table" />
        <button type="button" class="quiet" onClick={save}>
          Download CSV
        </button>
        <button type="button" class="quiet" onClick={saveParquet}>
          Download Parquet
        </button>
        {error !== null && <ErrorBox error={error} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what can be focused */}
      <section class="grid" aria-label="Rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title, kind }, column) => (
                <Head key={title} {...{ title, kind, column, sorting }} onSort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, index) => (
              // Rows of an answer have no other key.
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
    </>
  );
}

interface HeadProps {
  readonly title: string;
  readonly kind: CellKind;
  readonly column: number;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}

/** A title that sorts: the greatest first for numbers, then the other way, then as the answer has it. */
function Head({ title, kind, column, sorting, onSort }: HeadProps) {
  const own = sorting?.column === column ? sorting : null;
  const startsDescending = kind === 'number';
  const next = (): Sorting | null => {
    if (own === null) return { column, descending: startsDescending };
    return own.descending === startsDescending ? { column, descending: !startsDescending } : null;
  };
  const order = own === null ? undefined : own.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" class={kind} aria-sort={order}>
      <button type="button" class="quiet" onClick={() => onSort(next())}>
        {title}
        <span aria-hidden="true">{own === null ? '' : own.descending ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
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
