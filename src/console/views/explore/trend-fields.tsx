/** The series of a trend, what divides them, and the comparison with the time before. */
import { Choice, Entry, type Option } from '../../parts/controls.js';
import { everyEvent, type Note, nextId, SERIES_MAX, type Series } from '../../query/behaviour-draft.js';
import type { Draft } from '../../query/draft.js';
import { metricsOf, type OnChange } from '../../query/fields.js';
import { METRIC_WORDS } from '../../query/words.js';
import { columnOf, type Dimension } from '../../server/model.js';
import { breakdownOptions, eventColumns } from './column-options.js';
import { HappeningFields } from './happening-fields.js';
import { IntervalField } from './interval-field.js';
import type { ShowProps } from './show-props.js';

export function TrendFields({ draft, dimension, onChange }: ShowProps) {
  const { trend, interval } = draft;
  const setTrend = (change: (now: typeof trend) => typeof trend): void =>
    onChange((now) => ({ ...now, trend: change(now.trend) }));
  const setSeries = (change: (all: readonly Series[]) => readonly Series[]): void =>
    setTrend((now) => ({ ...now, series: change(now.series) }));
  const [column] = eventColumns(dimension);
  const add = (): void =>
    setSeries((all) => [...all, { ...everyEvent(nextId(all), column?.name ?? ''), of: 'events' }]);
  return (
    <div class="fields">
      <ol class="steps" aria-label="Series">
        {trend.series.map((series, index) => (
          <li key={series.id}>
            <span class="sentence letter">{seriesLetter(index)}</span>
            <SeriesFields
              about={`Series ${index + 1}`}
              series={series}
              dimension={dimension}
              onChange={(change) =>
                setSeries((all) => all.map((one) => (one.id === series.id ? change(one) : one)))
              }
            />
            {trend.series.length > 1 && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove series ${index + 1}`}
                onClick={() => setSeries((all) => all.filter(({ id }) => id !== series.id))}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        onClick={add}
        disabled={trend.series.length >= SERIES_MAX || column === undefined}
      >
        Add a series
      </button>
      <div class="pair">
        <IntervalField
          value={interval}
          onChange={(next) => onChange((now) => ({ ...now, interval: next }))}
        />
        <Choice
          label="For each value of"
          value={trend.by}
          options={breakdownOptions(dimension)}
          onChange={(by) => setTrend((now) => ({ ...now, by }))}
        />
        {trend.by !== '' && (
          <Entry
            label="At most"
            class="short"
            value={trend.groups}
            onChange={(groups) => setTrend((now) => ({ ...now, groups }))}
          />
        )}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={trend.compared}
          onChange={({ currentTarget: { checked } }) => setTrend((now) => ({ ...now, compared: checked }))}
        />
        Compare with the same length of time before
      </label>
      <TrendDetails {...{ trend }} setTrend={setTrend} />
    </div>
  );
}

const seriesLetter = (index: number): string => String.fromCharCode(65 + index);

interface DetailsProps {
  readonly trend: Draft['trend'];
  readonly setTrend: OnChange<Draft['trend']>;
}

/** A formula of the series, rolling periods, and texts at days. */
function TrendDetails({ trend, setTrend }: DetailsProps) {
  const { series, formula, notes, rolling } = trend;
  const setNotes = (change: (all: readonly Note[]) => readonly Note[]): void =>
    setTrend((now) => ({ ...now, notes: change(now.notes) }));
  const setNote = (id: number, next: Partial<Note>): void =>
    setNotes((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)));
  return (
    <details open={formula !== '' || notes.length > 0}>
      <summary>Formula and notes</summary>
      <div class="pair">
        <Entry
          label="Formula of the series"
          value={formula}
          placeholder={series.length > 1 ? 'B / A * 100' : 'A / 1000'}
          onChange={(text) => setTrend((now) => ({ ...now, formula: text }))}
        />
        {series.some(({ of }) => of === 'entities') && (
          <Entry
            label="Active in so many periods together"
            class="short"
            value={rolling}
            placeholder="1"
            onChange={(text) => setTrend((now) => ({ ...now, rolling: text }))}
          />
        )}
      </div>
      <ul class="conditions" aria-label="Notes">
        {notes.map(({ id, day, text }, index) => (
          <li key={id} class="pair">
            <Entry
              label={`Note ${index + 1}: day`}
              type="date"
              value={day}
              onChange={(next) => setNote(id, { day: next })}
            />
            <Entry
              label={`Note ${index + 1}: text`}
              value={text}
              maxLength={NOTE_CHARS_MAX}
              onChange={(next) => setNote(id, { text: next })}
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove note ${index + 1}`}
              onClick={() => setNotes((all) => all.filter((one) => one.id !== id))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        disabled={notes.length >= NOTES_MAX}
        onClick={() => setNotes((all) => [...all, { id: nextId(all), day: '', text: '' }])}
      >
        Add a note
      </button>
    </details>
  );
}
const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 80;

interface SeriesProps {
  readonly about: string;
  readonly series: Series;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Series>;
}

function SeriesFields({ about, series, dimension, onChange }: SeriesProps) {
  const column = columnOf(dimension, series.column);
  const options: Option[] = [
    ...(column === undefined ? [] : metricsOf(column)).map((metric) => ({
      ...{ value: metric, text: metric === 'events' ? 'number of events' : `${METRIC_WORDS[metric]} values` },
    })),
    { value: 'entities', text: `number of ${dimension?.name ?? 'entities'} with an event` },
  ];
  return (
    <>
      <Choice
        quiet
        label={`${about}: what to compute`}
        value={series.of}
        options={options}
        onChange={(of) => onChange((now) => ({ ...now, of: of as Series['of'] }))}
      />
      <HappeningFields
        about={about}
        happening={series}
        dimension={dimension}
        onChange={(change) =>
          onChange((now) => {
            const next = change(now);
            const chosen = columnOf(dimension, next.column);
            const metrics = chosen === undefined ? [] : metricsOf(chosen);
            return next.of === 'entities' || metrics.includes(next.of) ? next : { ...next, of: 'events' };
          })
        }
      />
    </>
  );
}
