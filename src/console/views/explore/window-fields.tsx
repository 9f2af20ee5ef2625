/** The range of time: two days, filled in with the first and the last day of a column's events. */
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../parts/context.js';
import { Entry } from '../../parts/controls.js';
import type { OnChange, Window } from '../../query/fields.js';
import { windowOfEvents } from './event-window.js';

interface WindowProps {
  readonly dimension: string;
  /** The event column whose dates are the default. */
  readonly column: string;
  /** Begins the labels of the fields; empty = none. */
  readonly about: string;
  readonly window: Window;
  readonly onChange: OnChange<Window>;
}

const isOpen = ({ from, to }: Window): boolean => from === '' && to === '';

/** Must be keyed by its column: dates that are still being loaded belong to the first column. */
export function WindowFields({ dimension, column, about, window, onChange }: WindowProps) {
  const { client } = useConsole();
  const isShown = useRef(true);
  const find = (choose: (found: Window, now: Window) => Window): void => {
    windowOfEvents(client, dimension, column).then(
      (found) => {
        if (isShown.current) onChange((now) => choose(found, now));
      },
      () => {},
    );
  };
  useEffect(() => {
    // Fill in only a window that the user has not chosen.
    if (isOpen(window)) find((found, now) => (isOpen(now) ? found : now));
    return () => {
      isShown.current = false;
    };
  }, []);
  const { from, to } = window;
  const label = (text: string): string =>
    about === '' ? `${text[0].toUpperCase()}${text.slice(1)}` : `${about}: ${text}`;
  return (
    <div class="window">
      <Entry
        label={label('from')}
        type="date"
        value={from}
        onChange={(day) => onChange((now) => ({ ...now, from: day }))}
      />
      <Entry
        label={label('to (inclusive)')}
        type="date"
        value={to}
        onChange={(day) => onChange((now) => ({ ...now, to: day }))}
      />
      <button type="button" class="quiet" onClick={() => find((found) => found)}>
        All dates
      </button>
    </div>
  );
}
