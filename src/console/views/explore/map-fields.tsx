/** The column of points that a map shows. */
import { Choice } from '../../parts/controls.js';
import { activeColumns } from '../../server/model.js';
import { columnOptions } from './column-options.js';
import type { ShowProps } from './show-props.js';

export function MapFields({ draft, dimension, onChange }: ShowProps) {
  const points = activeColumns(dimension).filter(({ kind }) => kind === 'point');
  if (points.length === 0) return <p class="hint">This dimension has no column of points on a map.</p>;
  return (
    <div class="fields">
      <Choice
        label="Places of"
        value={draft.point}
        options={columnOptions(points)}
        onChange={(point) => onChange((now) => ({ ...now, point }))}
      />
    </div>
  );
}
