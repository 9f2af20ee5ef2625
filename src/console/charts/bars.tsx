/** The most frequent values as bars: a list for screen readers, with an axis of round numbers. */
import { useState } from 'preact/hooks';
import { formatShort, ticksUpTo } from '../answer/format.js';

interface BarsProps {
  readonly label: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly text: string }[];
  /** Called with the index of a bar that is clicked; absent = bars are not buttons. */
  readonly onPick?: (index: number) => void;
}

const BARS_AT_FIRST = 60;
const TICKS_WANTED = 4;

export function Bars({ label, bars, onPick }: BarsProps) {
  const [shown, setShown] = useState(BARS_AT_FIRST);
  const seen = bars.slice(0, shown);
  const ticks = ticksUpTo(Math.max(0, ...bars.map(({ value }) => value)), TICKS_WANTED);
  const end = ticks[ticks.length - 1] || 1;
  const share = (value: number): string => `${Math.max(0, (value / end) * 100)}%`;
  return (
    <figure class="bars" aria-label={label}>
      <figcaption>{label}</figcaption>
      <ol>
        {seen.map(({ name, value, text }, index) => (
          // Two groups may have the same name.
          <li key={index} title={`${name}: ${text}`}>
            {onPick === undefined ? (
              <span class="name">{name}</span>
            ) : (
              <button type="button" class="quiet name" onClick={() => onPick(index)}>
                {name}
              </button>
            )}
            <span class="track" aria-hidden="true">
              <span class="bar" style={{ width: share(value) }} />
            </span>
            <span class="value">
              {text.replace(/^-?\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))}
            </span>
          </li>
        ))}
      </ol>
      <div class="axis" aria-hidden="true">
        <span class="ticks">
          {ticks.map((tick) => (
            <span key={tick} style={{ left: share(tick) }}>
              {formatShort(tick)}
            </span>
          ))}
        </span>
      </div>
      {bars.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(bars.length)}>
          Show all {bars.length}
        </button>
      )}
    </figure>
  );
}
