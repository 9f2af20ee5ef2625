/** The columns of a table of entities, and how many there are at most. */
import { Entry } from '../../parts/controls.js';
import { activeColumns } from '../../server/model.js';
import type { ShowProps } from './show-props.js';

/** The interface's limit, not counting the entity ID. */
const COLUMNS_MAX = 9;

export function RowsFields({ draft, dimension, onChange }: ShowProps) {
  const attributes = activeColumns(dimension).filter(({ isEvent }) => !isEvent);
  const toggle = (name: string): void =>
    onChange((now) => {
      const has = now.columns.includes(name);
      return { ...now, columns: has ? now.columns.filter((one) => one !== name) : [...now.columns, name] };
    });
  return (
    <div class="fields">
      <fieldset class="checks">
        <legend class="label">Columns (at most {COLUMNS_MAX})</legend>
        {attributes.map(({ name }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={draft.columns.includes(name)}
              disabled={!draft.columns.includes(name) && draft.columns.length >= COLUMNS_MAX}
              onChange={() => toggle(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Entry
        label="At most"
        class="short"
        value={draft.limit}
        onChange={(limit) => onChange((now) => ({ ...now, limit }))}
      />
    </div>
  );
}
