/** A length of time: a number and its unit. */
import { Choice, Entry } from '../../parts/controls.js';
import type { Length } from '../../query/behaviour-draft.js';

interface LengthProps {
  readonly label: string;
  readonly length: Length;
  readonly onChange: (length: Length) => void;
}

const UNITS = [
  { value: 'min', text: 'minutes' },
  { value: 'hr', text: 'hours' },
  { value: 'd', text: 'days' },
  { value: 'w', text: 'weeks' },
];

export const LengthFields = ({ label, length, onChange }: LengthProps) => (
  <div class="length">
    <Entry
      label={label}
      class="short"
      value={length.count}
      placeholder="any"
      onChange={(count) => onChange({ ...length, count })}
    />
    <Choice
      quiet
      label={`${label}: unit`}
      value={length.unit}
      options={UNITS}
      onChange={(unit) => onChange({ ...length, unit: unit as Length['unit'] })}
    />
  </div>
);
