/** The columns of a table of entities, and how many there are at most. */
import { Checks } from '../../parts/checks.js';
import { Entry } from '../../parts/controls.js';
import { attributeColumns } from '../../server/model.js';
import type { ShowProps } from './show-props.js';

/** The interface's limit, not counting the entity ID. */
const COLUMNS_MAX = 9;

export function RowsFields({ draft, dimension, onChange }: ShowProps) {
  return (
    <div class="fields">
      <Checks
        legend={`Columns (at most ${COLUMNS_MAX})`}
        items={attributeColumns(dimension).map(({ name }) => ({ value: name, text: name }))}
        chosen={draft.columns}
        most={COLUMNS_MAX}
        onChange={(change) => onChange((now) => ({ ...now, columns: change(now.columns) }))}
      />
      <Entry
        label="At most"
        class="short"
        value={draft.limit}
        onChange={(limit) => onChange((now) => ({ ...now, limit }))}
      />
    </div>
  );
}
