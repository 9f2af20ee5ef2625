/** The periods that divide a range of time. */
import { Choice } from '../../parts/controls.js';
import type { Interval } from '../../query/fields.js';

const INTERVALS: readonly Interval[] = ['hours', 'days', 'weeks', 'months'];

interface IntervalProps {
  readonly value: Interval;
  readonly onChange: (interval: Interval) => void;
}

export const IntervalField = ({ value, onChange }: IntervalProps) => (
  <Choice
    label="Divide by"
    value={value}
    options={INTERVALS.map((name) => ({ value: name, text: name }))}
    onChange={(interval) => onChange(interval as Interval)}
  />
);
