/** The entity whose events are shown. */
import { Entry } from '../../parts/controls.js';
import type { ShowProps } from './show-props.js';

export const EntityFields = ({ draft, onChange }: ShowProps) => (
  <div class="fields">
    <Entry
      label="ID of the entity"
      value={draft.entity}
      hint="Conditions do not matter here. The newest 200 events are shown."
      onChange={(entity) => onChange((now) => ({ ...now, entity }))}
    />
  </div>
);
