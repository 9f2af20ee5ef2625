/** Which attempts of a funnel count: how many of each entity, equal values, and events that must not lie between steps. */
import { Checks } from '../../parts/checks.js';
import { Choice, Entry } from '../../parts/controls.js';
import { type Exclusion, everyEvent, nextId } from '../../query/behaviour-draft.js';
import type { Draft } from '../../query/draft.js';
import type { Dimension } from '../../server/model.js';
import { eventColumns } from './column-options.js';
import { HappeningFields } from './happening-fields.js';

type Funnel = Draft['funnel'];

const ATTEMPTS = [
  { value: 'best', text: 'the longest of each entity' },
  { value: 'first', text: 'the first of each entity' },
  { value: 'every', text: 'every one' },
];

interface DetailsProps {
  readonly funnel: Funnel;
  readonly dimension: Dimension | undefined;
  readonly set: (change: (now: Funnel) => Partial<Funnel>) => void;
}

export function FunnelDetails({ funnel, dimension, set }: DetailsProps) {
  const { steps, attempts, same, exclude } = funnel;
  const columns = eventColumns(dimension);
  const setExclude = (change: (all: readonly Exclusion[]) => readonly Exclusion[]): void =>
    set((now) => ({ exclude: change(now.exclude) }));
  const add = (): void =>
    setExclude((all) => [
      ...all,
      { ...everyEvent(nextId(all), columns[0]?.name ?? ''), after: '1', before: String(steps.length) },
    ]);
  return (
    <details open={attempts !== 'best' || same.length > 0 || exclude.length > 0}>
      <summary>Attempts that count</summary>
      <Choice
        label="Attempts"
        value={attempts}
        options={ATTEMPTS}
        onChange={(next) => set(() => ({ attempts: next as Funnel['attempts'] }))}
      />
      <Checks
        legend="Equal values at all steps in"
        items={columns.map(({ name }) => ({ value: name, text: name }))}
        chosen={same}
        onChange={(change) => set((now) => ({ same: change(now.same) }))}
      />
      <ul class="conditions" aria-label="Excluded events">
        {exclude.map((exclusion, index) => (
          <li key={exclusion.id}>
            <ExclusionFields
              {...{ exclusion, dimension }}
              about={`Excluded ${index + 1}`}
              onChange={(change) =>
                setExclude((all) => all.map((one) => (one.id === exclusion.id ? change(one) : one)))
              }
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove excluded events ${index + 1}`}
              onClick={() => setExclude((all) => all.filter(({ id }) => id !== exclusion.id))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={add} disabled={columns.length === 0}>
        Exclude events between steps
      </button>
    </details>
  );
}

interface ExclusionProps {
  readonly exclusion: Exclusion;
  readonly dimension: Dimension | undefined;
  readonly about: string;
  readonly onChange: (change: (now: Exclusion) => Exclusion) => void;
}

function ExclusionFields({ exclusion, dimension, about, onChange }: ExclusionProps) {
  return (
    <>
      <p class="sentence">without</p>
      <HappeningFields about={about} happening={exclusion} dimension={dimension} onChange={onChange} />
      <div class="pair">
        <Entry
          label={`${about}: after step`}
          class="short"
          value={exclusion.after}
          onChange={(after) => onChange((now) => ({ ...now, after }))}
        />
        <Entry
          label={`${about}: before step`}
          class="short"
          value={exclusion.before}
          onChange={(before) => onChange((now) => ({ ...now, before }))}
        />
      </div>
    </>
  );
}
