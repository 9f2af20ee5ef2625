/** Events in a sentence: the column, and what its value must be. */
import { Choice } from '../../parts/controls.js';
import type { Happening } from '../../query/behaviour-draft.js';
import { ANY, type OnChange } from '../../query/fields.js';
import { columnOf, type Dimension } from '../../server/model.js';
import { eventColumns, shownName } from './column-options.js';
import { TestFields } from './test-fields.js';

interface HappeningProps<Value extends Happening> {
  /** Names the fields for screen readers, such as `Step 1`. */
  readonly about: string;
  readonly happening: Value;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Value>;
}

export function HappeningFields<Value extends Happening>(props: HappeningProps<Value>) {
  const { about, happening, dimension, onChange } = props;
  const columns = eventColumns(dimension);
  const column = columnOf(dimension, happening.column);
  if (columns.length === 0) return <p class="hint">This dimension has no columns of events.</p>;
  return (
    <div class="happening">
      <Choice
        quiet
        label={`${about}: event`}
        value={happening.column}
        options={columns.map((one) => ({ value: one.name, text: shownName(one) }))}
        onChange={(name) => onChange((now) => ({ ...now, column: name, test: ANY }))}
      />
      {column !== undefined && (
        <TestFields
          key={column.name}
          dimension={dimension?.name ?? ''}
          column={column}
          about={about}
          test={happening.test}
          onChange={(test) => onChange((now) => ({ ...now, test }))}
        />
      )}
    </div>
  );
}
