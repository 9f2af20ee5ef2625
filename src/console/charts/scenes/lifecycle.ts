/** Periods as stacked bars: active entities above the line, those who stay away below it. */
import type { LifecyclePeriod } from '../../answer/behaviour-answer.js';
import { formatCount, formatMoment, formatShort, ticksUpTo } from '../../answer/format.js';
import { legend, type Scene, type Shape, seriesInk, textWidth } from './scene.js';

export const LIFECYCLE_PARTS = ['new', 'returning', 'resurrecting', 'dormant'] as const;
type Part = (typeof LIFECYCLE_PARTS)[number];

const HEIGHT = 340;
const LEFT = 52;
const BOTTOM = 26;

export function lifecycleScene(series: readonly LifecyclePeriod[], width: number): Scene {
  const [names, top] = legend(LIFECYCLE_PARTS, width, 0);
  const above = Math.max(1, ...series.map((period) => period.new + period.returning + period.resurrecting));
  const below = Math.max(0, ...series.map(({ dormant }) => dormant));
  const scale = (HEIGHT - BOTTOM) / (above + below);
  const zero = top + above * scale;
  const step = (width - LEFT) / Math.max(1, series.length);
  const shapes: Shape[] = [...names, ...grid({ above, below, scale, zero, width })];
  for (const [index, period] of series.entries()) {
    const x = LEFT + index * step + step * 0.1;
    shapes.push(...bars(period, { x, zero, scale, width: Math.max(1, step * 0.8) }));
  }
  const every = Math.max(1, Math.ceil(90 / step));
  for (let index = 0; index < series.length; index += every) {
    const text = formatMoment(series[index].between[0]);
    const x = Math.min(width - textWidth(text), LEFT + index * step);
    shapes.push({ kind: 'text', x, y: top + HEIGHT - 6, text, fill: 'ink-soft' });
  }
  return { width, height: top + HEIGHT, shapes };
}

interface Axis {
  readonly above: number;
  readonly below: number;
  readonly scale: number;
  readonly zero: number;
  readonly width: number;
}

function grid({ above, below, scale, zero, width }: Axis): Shape[] {
  const ticks = ticksUpTo(above, 4).filter((tick) => tick <= above);
  const under = ticksUpTo(below, 3).filter((tick) => tick > 0 && tick <= below);
  return [...ticks, ...under.map((tick) => -tick)].flatMap((tick): Shape[] => {
    const y = zero - tick * scale;
    const stroke = tick === 0 ? 'line-strong' : 'line';
    return [
      { kind: 'path', d: `M${LEFT} ${y}H${width}`, stroke, width: 1 },
      {
        kind: 'text',
        x: LEFT - 6,
        y: y + 4,
        text: formatShort(Math.abs(tick)),
        fill: 'ink-soft',
        anchor: 'end',
      },
    ];
  });
}

interface Bar {
  readonly x: number;
  readonly zero: number;
  readonly scale: number;
  readonly width: number;
}

function bars(period: LifecyclePeriod, { x, zero, scale, width }: Bar): Shape[] {
  const bar = (part: Part, y: number): Shape => ({
    ...{
      kind: 'rect',
      x,
      y,
      width,
      height: period[part] * scale,
      fill: seriesInk(LIFECYCLE_PARTS.indexOf(part)),
    },
    title: `${formatMoment(period.between[0])}: ${formatCount(period[part])} ${part}`,
  });
  let y = zero;
  const shapes: Shape[] = [];
  for (const part of ['returning', 'resurrecting', 'new'] as const) {
    y -= period[part] * scale;
    shapes.push(bar(part, y));
  }
  return [...shapes, bar('dormant', zero)];
}
