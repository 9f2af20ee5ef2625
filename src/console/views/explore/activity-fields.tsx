/** The activity of a lifecycle or a distribution, and its periods. */
import { Choice } from '../../parts/controls.js';
import type { Draft } from '../../query/draft.js';
import { HappeningFields } from './happening-fields.js';
import { IntervalField } from './interval-field.js';
import { LengthFields } from './length-fields.js';
import type { ShowProps } from './show-props.js';

type Distribution = Draft['distribution'];

const OF = [
  { value: 'stickiness', text: 'in how many periods they are active' },
  { value: 'sessions', text: 'how long their sessions are' },
];

export function ActivityFields({ draft, dimension, onChange }: ShowProps) {
  const { show, activity, distribution, every } = draft;
  const isSessions = show === 'distribution' && distribution.of === 'sessions';
  const set = (next: Partial<Distribution>): void =>
    onChange((now) => ({ ...now, distribution: { ...now.distribution, ...next } }));
  return (
    <div class="fields">
      {show === 'distribution' && (
        <Choice
          label={`Of the ${draft.dimension}, show`}
          value={distribution.of}
          options={OF}
          onChange={(of) => set({ of: of as Distribution['of'] })}
        />
      )}
      <p class="sentence">{isSessions ? 'A session consists of' : 'They are active if they do'}</p>
      <HappeningFields
        about="Activity"
        happening={activity}
        dimension={dimension}
        onChange={(change) => onChange((now) => ({ ...now, activity: change(now.activity) }))}
      />
      {isSessions && (
        <>
          <p class="hint">Every event of the column belongs to a session, whatever its value.</p>
          <LengthFields
            label="It ends after a time without events of"
            length={distribution.gap}
            onChange={(gap) => set({ gap })}
          />
        </>
      )}
      <IntervalField value={every} onChange={(next) => onChange((now) => ({ ...now, every: next }))} />
    </div>
  );
}
