/** Who begins, what is a return, and how both are counted. */
import { Choice, Entry } from '../../parts/controls.js';
import type { Draft } from '../../query/draft.js';
import { HappeningFields } from './happening-fields.js';
import { IntervalField } from './interval-field.js';
import type { ShowProps } from './show-props.js';

type Retention = Draft['retention'];

const COHORTS = [
  { value: 'first-time', text: 'for the first time' },
  { value: 'recurring', text: 'in that period, also again' },
];
const COUNTS = [
  { value: 'on', text: 'in the period' },
  { value: 'on-or-after', text: 'in the period or later' },
];

export function RetentionFields({ draft, dimension, onChange }: ShowProps) {
  const { start, back, cohort, count, periods, brackets, rolling } = draft.retention;
  const set = (change: (now: Retention) => Partial<Retention>): void =>
    onChange((now) => ({ ...now, retention: { ...now.retention, ...change(now.retention) } }));
  return (
    <div class="fields">
      <p class="sentence">Of the {draft.dimension} that do</p>
      <HappeningFields
        about="Start"
        happening={start}
        dimension={dimension}
        onChange={(change) => set((now) => ({ start: change(now.start) }))}
      />
      <Choice
        quiet
        label="How they begin"
        value={cohort}
        options={COHORTS}
        onChange={(next) => set(() => ({ cohort: next as Retention['cohort'] }))}
      />
      <p class="sentence">how many come back and do</p>
      <HappeningFields
        about="Return"
        happening={back}
        dimension={dimension}
        onChange={(change) => set((now) => ({ back: change(now.back) }))}
      />
      <Choice
        quiet
        label="When they return"
        value={count}
        options={COUNTS}
        onChange={(next) => set(() => ({ count: next as Retention['count'] }))}
      />
      <div class="pair">
        <IntervalField value={draft.every} onChange={(every) => onChange((now) => ({ ...now, every }))} />
        <Entry
          label="How many periods"
          class="short"
          value={periods}
          onChange={(next) => set(() => ({ periods: next }))}
        />
        <Entry
          label="Or brackets of periods"
          value={brackets}
          placeholder="1, 3, 7"
          onChange={(next) => set(() => ({ brackets: next }))}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={rolling}
          onChange={({ currentTarget: { checked } }) => set(() => ({ rolling: checked }))}
        />
        Periods begin at the first event, not with the calendar
      </label>
      <div></div>
    </div>
  );
}
