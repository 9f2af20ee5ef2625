/** A titled table of things that can be edited and deleted, each with its buttons. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface ListedProps {
  readonly title: string;
  readonly columns: readonly string[];
  /** Rows of the table, each ending with RowActions; null = the key may not list them. */
  readonly rows: readonly ComponentChildren[] | null;
}

export function Listed({ title, columns, rows }: ListedProps) {
  const id = useId();
  return (
    <section class="listed" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {rows === null && <p class="hint">This key lacks the permission to list them.</p>}
      {rows?.length === 0 && <p class="hint">There are none yet.</p>}
      {rows !== null && rows.length > 0 && (
        <div class="grid">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>{rows}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface RowActionsProps {
  readonly of: string;
  /** Absent = it cannot be edited. */
  readonly onEdit?: () => void;
  readonly onDelete: () => void;
}

export const RowActions = ({ of, onEdit, onDelete }: RowActionsProps) => (
  <td class="number">
    {onEdit !== undefined && (
      <button type="button" class="quiet" aria-label={`Edit ${of}`} onClick={onEdit}>
        Edit
      </button>
    )}{' '}
    <button type="button" class="quiet" aria-label={`Delete ${of}`} onClick={onDelete}>
      Delete
    </button>
  </td>
);
