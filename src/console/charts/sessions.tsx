/** The numbers of sessions as tiles. */
import type { SessionStats } from '../answer/behaviour-answer.js';
import { formatCount, formatSeconds } from '../answer/format.js';

const seconds = (value: number | null): string => (value === null ? '–' : formatSeconds(value));
const number = (value: number | null): string =>
  value === null ? '–' : formatCount(Number(value.toFixed(2)));

export function SessionTiles(stats: SessionStats) {
  const tiles = [
    ['Sessions', formatCount(stats.sessions)],
    ['Entities with one', formatCount(stats.entities)],
    ['Of a single event', formatCount(stats['single-event'])],
    ['Median length', seconds(stats.seconds.median)],
    ['90% last at most', seconds(stats.seconds.p90)],
    ['Events, average', number(stats.events.avg)],
  ] as const;
  return (
    <dl class="tiles">
      {tiles.map(([name, text]) => (
        <div key={name} class="panel tile">
          <dt>{name}</dt>
          <dd>
            <strong>{text}</strong>
          </dd>
        </div>
      ))}
    </dl>
  );
}
