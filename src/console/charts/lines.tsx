/** Several lines, drawn by uPlot; its legend shows the values under the pointer. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Line, Lines } from '../answer/chart.js';
import { formatCount, formatShort, momentTick, plural } from '../answer/format.js';
import { useConsole } from '../parts/context.js';
import { seriesInk } from './scenes/scene.js';

const HEIGHT = 320;
/** Up to so many points are marked. */
const MARKED_POINTS_MAX = 40;
const NO_MARKS: NonNullable<Lines['marks']> = [];

export function LineChart({ label, axis, at, lines, marks = NO_MARKS }: Lines) {
  const { theme } = useConsole();
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [[...at], ...lines.map(({ values }) => [...values])];
    const plot = new uPlot(optionsOf(element, { label, axis, at, lines, marks }), data, element);
    const resizing = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [theme, label, axis, at, lines, marks]);
  return (
    <figure class="times">
      <figcaption>{label}</figcaption>
      <div
        ref={container}
        class="plot"
        role="img"
        aria-label={`${label}: ${plural(lines.length, 'line')} of ${plural(at.length, 'point')}; the table has the numbers`}
      />
      {marks.length > 0 && (
        <ul class="marks">
          {marks.map(({ at: second, text }) => (
            <li key={`${second} ${text}`}>
              <b>{new Date(second * 1000).toISOString().slice(0, 10)}</b> {text}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function optionsOf(element: HTMLElement, { axis, at, lines, marks = NO_MARKS }: Lines): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const common = {
    stroke: color('ink-soft'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { stroke: color('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const xText = (tick: number, step: number): string =>
    axis === 'time' ? momentTick(tick, step) : Number.isInteger(tick) ? String(tick) : '';
  return {
    ...{ width: element.clientWidth || 300, height: HEIGHT },
    tzDate: (second) => uPlot.tzDate(new Date(second * 1000), 'UTC'),
    legend: { live: true },
    hooks: { draw: [(plot) => drawMarks(plot, marks, color('ink-soft'))] },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { time: axis === 'time' },
      y: { range: (_plot, min, max) => [Math.min(0, min ?? 0), max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...common,
        space: 90,
        size: 36,
        values: (_plot, ticks, _index, _space, step) => ticks.map((tick) => xText(tick, step)),
      },
      {
        ...common,
        size: 64,
        values: (_plot, ticks) => ticks.map((tick) => (tick === null ? '' : formatShort(tick))),
      },
    ],
    series: [
      axis === 'time' ? { label: 'from', value: '{YYYY}-{MM}-{DD} {HH}:{mm}' } : { label: 'period' },
      ...lines.map((line, index) => seriesOf(line, color(seriesInk(index)), at.length)),
    ],
  };
}

/** A line from top to bottom, and the text beside it. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: NonNullable<Lines['marks']>, ink: string): void {
  const right = bbox.left + bbox.width;
  const pixel = window.devicePixelRatio;
  ctx.save();
  ctx.fillStyle = ink;
  ctx.font = `${12 * pixel}px system-ui, sans-serif`;
  for (const { at, text } of marks) {
    const x = valToPos(at, 'x', true);
    if (x < bbox.left || x > right) continue;
    ctx.fillRect(x, bbox.top, pixel, bbox.height);
    const isLeft = x + ctx.measureText(text).width + 8 * pixel > right;
    ctx.textAlign = isLeft ? 'right' : 'left';
    ctx.fillText(text, x + (isLeft ? -4 : 4) * pixel, bbox.top + 12 * pixel);
  }
  ctx.restore();
}

const seriesOf = ({ name, faint }: Line, stroke: string, points: number): uPlot.Series => ({
  ...{ label: name, stroke, width: 2 },
  ...(faint ? { dash: [6, 4], width: 1.5 } : {}),
  points: { show: points <= MARKED_POINTS_MAX, size: 5 },
  value: (_plot, value) => (value === null ? '–' : formatCount(Number(value.toFixed(4)))),
});
