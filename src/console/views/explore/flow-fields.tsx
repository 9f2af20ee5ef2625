/** Where paths begin, in which direction they go, and how far. */
import { Choice, Entry } from '../../parts/controls.js';
import type { Draft } from '../../query/draft.js';
import { HappeningFields } from './happening-fields.js';
import { LengthFields } from './length-fields.js';
import type { ShowProps } from './show-props.js';

type Flow = Draft['flow'];

const DIRECTIONS = [
  { value: 'after', text: 'after' },
  { value: 'before', text: 'before' },
];

export function FlowFields({ draft, dimension, onChange }: ShowProps) {
  const { start, direction, depth, limit, within } = draft.flow;
  const set = (change: (now: Flow) => Partial<Flow>): void =>
    onChange((now) => ({ ...now, flow: { ...now.flow, ...change(now.flow) } }));
  return (
    <div class="fields">
      <p class="sentence">What do {draft.dimension} do</p>
      <Choice
        quiet
        label="Direction"
        value={direction}
        options={DIRECTIONS}
        onChange={(next) => set(() => ({ direction: next as Flow['direction'] }))}
      />
      <p class="sentence">their first</p>
      <HappeningFields
        about="Start"
        happening={start}
        dimension={dimension}
        onChange={(change) => set((now) => ({ start: change(now.start) }))}
      />
      <div class="pair">
        <Entry label="Levels" class="short" value={depth} onChange={(next) => set(() => ({ depth: next }))} />
        <Entry
          label="Events at each level"
          class="short"
          value={limit}
          onChange={(next) => set(() => ({ limit: next }))}
        />
        <LengthFields
          label="At most between two events"
          length={within}
          onChange={(next) => set(() => ({ within: next }))}
        />
      </div>
    </div>
  );
}
