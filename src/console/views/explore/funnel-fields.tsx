/** The steps of a funnel as sentences, and how attempts are counted. */
import { Choice } from '../../parts/controls.js';
import { everyEvent, nextId, type Step } from '../../query/behaviour-draft.js';
import type { Draft } from '../../query/draft.js';
import { breakdownOptions, eventColumns } from './column-options.js';
import { FunnelDetails } from './funnel-details.js';
import { HappeningFields } from './happening-fields.js';
import { LengthFields } from './length-fields.js';
import type { ShowProps } from './show-props.js';

type Funnel = Draft['funnel'];

const ORDERS = [
  { value: 'in-order', text: 'in this order, with anything between' },
  { value: 'strict', text: 'in this order, with nothing between' },
  { value: 'any', text: 'in any order' },
];

export function FunnelFields({ draft, dimension, onChange }: ShowProps) {
  const { steps, within, order, by } = draft.funnel;
  const set = (change: (now: Funnel) => Partial<Funnel>): void =>
    onChange((now) => ({ ...now, funnel: { ...now.funnel, ...change(now.funnel) } }));
  const setSteps = (change: (all: readonly Step[]) => readonly Step[]): void =>
    set((now) => ({ steps: change(now.steps) }));
  const [column] = eventColumns(dimension);
  const add = (): void =>
    setSteps((all) => [...all, { ...everyEvent(nextId(all), column?.name ?? ''), optional: false }]);
  return (
    <div class="fields">
      <p class="sentence">How many {draft.dimension} do these steps?</p>
      <ol class="steps" aria-label="Steps">
        {steps.map((step, index) => (
          <li key={step.id}>
            <span class="sentence">{index === 0 ? 'First' : 'then'}</span>
            <HappeningFields
              about={`Step ${index + 1}`}
              happening={step}
              dimension={dimension}
              onChange={(change) =>
                setSteps((all) => all.map((one) => (one.id === step.id ? change(one) : one)))
              }
            />
            <StepActions steps={steps} index={index} setSteps={setSteps} />
          </li>
        ))}
      </ol>
      <button type="button" onClick={add} disabled={column === undefined}>
        Add a step
      </button>
      <div class="pair">
        <LengthFields label="All within" length={within} onChange={(next) => set(() => ({ within: next }))} />
        <Choice
          label="Order"
          value={order}
          options={ORDERS}
          onChange={(next) => set(() => ({ order: next as Funnel['order'] }))}
        />
        <Choice
          label="For each value of"
          value={by}
          options={breakdownOptions(dimension)}
          onChange={(next) => set(() => ({ by: next }))}
        />
      </div>
      <FunnelDetails {...{ funnel: draft.funnel, dimension, set }} />
    </div>
  );
}

interface ActionsProps {
  readonly steps: readonly Step[];
  readonly index: number;
  readonly setSteps: (change: (all: readonly Step[]) => readonly Step[]) => void;
}

function StepActions({ steps, index, setSteps }: ActionsProps) {
  const { id, optional } = steps[index];
  const isInner = index > 0 && index < steps.length - 1;
  const moveUp = (all: readonly Step[]): readonly Step[] => {
    const at = all.findIndex((one) => one.id === id);
    return at < 1 ? all : [...all.slice(0, at - 1), all[at], all[at - 1], ...all.slice(at + 1)];
  };
  return (
    <div class="row wrap step-actions">
      {isInner && (
        <label class="check">
          <input
            type="checkbox"
            checked={optional}
            aria-label={`Step ${index + 1} may be left out`}
            onChange={({ currentTarget: { checked } }) =>
              setSteps((all) => all.map((one) => (one.id === id ? { ...one, optional: checked } : one)))
            }
          />
          may be left out
        </label>
      )}
      {index > 0 && (
        <button
          type="button"
          class="quiet"
          aria-label={`Move step ${index + 1} up`}
          onClick={() => setSteps(moveUp)}
        >
          ↑
        </button>
      )}
      {steps.length > 2 && (
        <button
          type="button"
          class="quiet"
          aria-label={`Remove step ${index + 1}`}
          onClick={() => setSteps((all) => all.filter((one) => one.id !== id))}
        >
          Remove
        </button>
      )}
    </div>
  );
}
