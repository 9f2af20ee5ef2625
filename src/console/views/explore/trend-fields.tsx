/** The series of a trend, what divides them, and the comparison with the time before. */
import { Choice, Entry, type Option } from '../../parts/controls.js';
import { everyEvent, nextId, SERIES_MAX, type Series } from '../../query/behaviour-draft.js';
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
    </div>
  );
}

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
