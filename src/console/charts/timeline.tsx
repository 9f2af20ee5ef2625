/** The events of one entity, newest first, under their days. */
import type { TimelineEvent } from '../answer/behaviour-answer.js';
import { cellText } from '../answer/table.js';

export function Timeline({ events }: { readonly events: readonly TimelineEvent[] }) {
  const days = [...new Set(events.map(({ date }) => date.slice(0, 10)))];
  return (
    <ol class="timeline" aria-label="Events">
      {days.map((day) => (
        <li key={day}>
          <h3>{day}</h3>
          <ul>
            {events
              .filter(({ date }) => date.startsWith(day))
              .map((event, index) => (
                // Equal events may occur in the same second.
                <li key={index}>
                  <time dateTime={event.date}>{event.date.slice(11, 19)}</time>
                  <b>{event.column ?? event.relation}</b>
                  <span>{valueText(event)}</span>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

const valueText = ({ value, values }: TimelineEvent): string =>
  values === undefined
    ? cellText(value ?? null)
    : Object.entries(values)
        .map(([column, one]) => `${column} ${cellText(one)}`)
        .join(', ');
