/** Lines over time or over numbers. */
import type { Lines } from '../../answer/chart.js';
import { formatShort, momentTick, ticksUpTo } from '../../answer/format.js';
import { legend, type Scene, type Shape, seriesInk, textWidth } from './scene.js';

const HEIGHT = 300;
const LEFT = 52;
const BOTTOM = 26;

export function linesScene({ axis, at, lines, marks = [] }: Lines, width: number): Scene {
  const [names, top] = legend(
    lines.map(({ name }) => name),
    width,
    0,
  );
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksUpTo(most, 4);
  const end = ticks[ticks.length - 1] || 1;
  const plotHeight = HEIGHT - BOTTOM - 8;
  const yOf = (value: number): number => top + 8 + plotHeight * (1 - value / end);
  const first = at[0] ?? 0;
  const span = (at[at.length - 1] ?? 1) - first || 1;
  const xOf = (where: number): number => LEFT + ((where - first) / span) * (width - LEFT - 12);
  const shapes: Shape[] = [...names];
  for (const tick of ticks) {
    shapes.push({ kind: 'path', d: `M${LEFT} ${yOf(tick)}H${width}`, stroke: 'line', width: 1 });
    shapes.push({
      kind: 'text',
      x: LEFT - 6,
      y: yOf(tick) + 4,
      text: formatShort(tick),
      fill: 'ink-soft',
      anchor: 'end',
    });
  }
  const every = Math.max(1, Math.ceil(at.length / Math.max(1, Math.floor((width - LEFT) / 90))));
  for (let index = 0; index < at.length; index += every) {
    const text = axis === 'time' ? momentTick(at[index], every * (at[1] - at[0] || 1)) : String(at[index]);
    const x = Math.min(width - textWidth(text), xOf(at[index]));
    shapes.push({ kind: 'text', x, y: top + HEIGHT - 4, text, fill: 'ink-soft' });
  }
  for (const [index, { values, faint }] of lines.entries()) {
    const d = pathOf(values, (point) => [xOf(at[point]), yOf(values[point] ?? 0)]);
    shapes.push({ kind: 'path', d, stroke: seriesInk(index), width: 2, ...(faint ? { opacity: 0.5 } : {}) });
  }
  for (const mark of marks) {
    if (mark.at < first || mark.at > first + span) continue;
    const x = xOf(mark.at);
    shapes.push({ kind: 'path', d: `M${x} ${top}V${yOf(0)}`, stroke: 'ink-soft', width: 1 });
    shapes.push({ kind: 'text', x: x + 4, y: top + 10, text: mark.text, fill: 'ink-soft' });
  }
  return { width, height: top + HEIGHT, shapes };
}

/** A path that is interrupted where there is no value. */
function pathOf(
  values: readonly (number | null)[],
  pointAt: (index: number) => readonly [number, number],
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const starts = index === 0 || values[index - 1] === null;
      return `${starts ? 'M' : 'L'}${pointAt(index)
        .map((pixel) => pixel.toFixed(1))
        .join(' ')}`;
    })
    .join('');
}
