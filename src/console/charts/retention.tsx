/** A retention table: a row for each cohort, a column for each period, the darker the more entities returned. */

import { shareText } from '../answer/behaviour.js';
import type { Retention } from '../answer/behaviour-answer.js';
import { formatCount, formatMoment } from '../answer/format.js';

interface HeatProps extends Retention {
  /** Called with a cohort's index and a period, or null for the whole cohort; absent = cells are not buttons. */
  readonly onPick?: (cohort: number, period: number | null) => void;
}

export function RetentionTable({ cohorts, total, onPick }: HeatProps) {
  const periods = total.counts.map((_, period) => period);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what can be focused
    <section class="grid heat" aria-label="Retention" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Cohort</th>
            <th scope="col" class="number">
              Entities
            </th>
            {periods.map((period) => (
              <th key={period} scope="col" class="number">
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">all</th>
            <td class="number">{formatCount(total.size)}</td>
            {total.ratios.map((share, period) => (
              <Square key={period} share={share} />
            ))}
          </tr>
          {cohorts.map(({ between, size, counts }, cohort) => (
            <tr key={between[0]}>
              <th scope="row">{formatMoment(between[0])}</th>
              <Pickable text={formatCount(size)} {...pick(onPick, cohort, null)} />
              {counts.map((count, period) => (
                <Square
                  key={period}
                  share={size === 0 ? null : count / size}
                  title={`${formatCount(count)} of ${formatCount(size)}`}
                  {...pick(count === 0 ? undefined : onPick, cohort, period)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const pick = (onPick: HeatProps['onPick'], cohort: number, period: number | null) =>
  onPick === undefined ? {} : { onClick: () => onPick(cohort, period) };

interface SquareProps {
  readonly share: number | null;
  readonly title?: string;
  readonly onClick?: () => void;
}

/** The number of shades in the style sheet. */
const SHADES = 10;

const Square = ({ share, title, onClick }: SquareProps) => (
  <Pickable
    text={shareText(share)}
    class={`shade-${Math.min(SHADES, Math.ceil((share ?? 0) * SHADES))}`}
    {...(title === undefined ? {} : { title })}
    {...(onClick === undefined ? {} : { onClick })}
  />
);

interface PickableProps {
  readonly text: string;
  readonly class?: string;
  readonly title?: string;
  readonly onClick?: () => void;
}

const Pickable = ({ text, class: shade = '', title, onClick }: PickableProps) => (
  <td class={`number ${shade}`} title={title}>
    {onClick === undefined ? (
      text
    ) : (
      <button type="button" class="quiet" onClick={onClick}>
        {text}
      </button>
    )}
  </td>
);
