/** A retention table as coloured squares, for files; the page shows a real table. */

import { shareText } from '../../answer/behaviour.js';
import type { Retention } from '../../answer/behaviour-answer.js';
import { formatCount, formatMoment } from '../../answer/format.js';
import type { Scene, Shape } from './scene.js';

const ROW = 26;
const NAME_WIDTH = 150;

export function heatScene({ cohorts, total }: Retention, width: number): Scene {
  const periods = Math.max(1, ...cohorts.map(({ counts }) => counts.length));
  const step = (width - NAME_WIDTH) / periods;
  const all = { name: 'all', size: total.size, shares: total.ratios };
  const rows = [
    all,
    ...cohorts.map(({ between, size, counts }) => ({
      name: formatMoment(between[0]),
      size,
      shares: counts.map((count) => (size === 0 ? null : count / size)),
    })),
  ];
  const shapes = rows.flatMap(({ name, size, shares }, row): Shape[] => [
    { kind: 'text', x: 0, y: row * ROW + 17, text: `${name} · ${formatCount(size)}`, fill: 'ink' },
    ...shares.flatMap((share, period): Shape[] => {
      const x = NAME_WIDTH + period * step;
      const y = row * ROW;
      const box = { x, y, width: step - 2, height: ROW - 2 };
      return [
        { kind: 'rect', ...box, fill: 'accent', opacity: 0.06 + 0.6 * (share ?? 0) },
        { kind: 'text', x: x + step / 2, y: y + 17, text: shareText(share), fill: 'ink', anchor: 'middle' },
      ];
    }),
  ]);
  return { width, height: rows.length * ROW, shapes };
}
