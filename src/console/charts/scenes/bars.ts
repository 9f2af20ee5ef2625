/** Bars with names and values, for files; the page shows a list. */
import { fitted, type Scene, type Shape } from './scene.js';

const ROW = 24;
const NAME_WIDTH = 170;
const VALUE_WIDTH = 90;

export interface NamedValue {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

export function barsScene(bars: readonly NamedValue[], width: number): Scene {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const shapes = bars.flatMap(({ name, value, text }, row): Shape[] => {
    const y = row * ROW;
    const barWidth = (Math.max(0, value) / most) * (width - NAME_WIDTH - VALUE_WIDTH);
    return [
      {
        kind: 'text',
        x: NAME_WIDTH - 8,
        y: y + 16,
        text: fitted(name, NAME_WIDTH - 8),
        fill: 'ink',
        anchor: 'end',
      },
      {
        kind: 'rect',
        x: NAME_WIDTH,
        y: y + 3,
        width: Math.max(1, barWidth),
        height: ROW - 6,
        fill: 'accent',
      },
      { kind: 'text', x: NAME_WIDTH + barWidth + 6, y: y + 16, text, fill: 'ink' },
    ];
  });
  return { width, height: bars.length * ROW, shapes };
}
