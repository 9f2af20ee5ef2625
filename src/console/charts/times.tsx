/** Values over time, drawn by uPlot: bars for buckets, or lines for live statistics. Times are in UTC. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatCount, formatShort, momentTick } from '../answer/format.js';
import { useConsole } from '../parts/context.js';

interface TimesProps {
  readonly label: string;
  readonly seconds: readonly number[];
  readonly values: readonly (number | null)[];
  readonly lines?: boolean;
  readonly height?: number;
  readonly format?: (value: number) => string;
}

const HEIGHT = 300;
/** Minimum time span of the axis for lines. */
const LINE_SECONDS_MIN = 60;

export function Times({
  label,
  seconds,
  values,
  lines = false,
  height = HEIGHT,
  format = formatShort,
}: TimesProps) {
  const { theme } = useConsole();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const last = values[values.length - 1] ?? null;

  // New values are put into the existing plot.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const made = new uPlot(
      optionsOf(element, { label, lines, height, format }),
      [[...seconds], [...values]],
      element,
    );
    plot.current = made;
    const resizing = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, label, lines, height]);

  useEffect(() => {
    plot.current?.setData([[...seconds], [...values]]);
  }, [seconds, values]);

  return (
    <figure class="times">
      <figcaption>{label}</figcaption>
      <div
        ref={container}
        style={{ minHeight: `${height}px` }}
        role="img"
        aria-label={`${label}: ${seconds.length} points${last === null ? '' : `, the last ${formatCount(last)}`}`}
      />
    </figure>
  );
}

type Wanted = Required<Pick<TimesProps, 'label' | 'lines' | 'height' | 'format'>>;

function optionsOf(element: HTMLElement, { label, lines, height, format }: Wanted): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--ink-soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const bars = uPlot.paths.bars?.({ size: [0.9, 60], align: 1 });
  return {
    width: element.clientWidth || 300,
    height,
    tzDate: (second) => uPlot.tzDate(new Date(second * 1000), 'UTC'),
    legend: { show: !lines, live: true },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (plot) => spanOf(plot.data[0], lines) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        space: 90,
        size: 36,
        values: (_plot, ticks, _index, _space, step) => ticks.map((tick) => momentTick(tick, step)),
      },
      {
        ...axis,
        size: 74,
        values: (_plot, ticks) => ticks.map((tick) => (tick === null ? '' : format(tick))),
      },
    ],
    series: [
      { label: 'from', value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
      {
        label,
        stroke: color('--accent'),
        fill: color(lines ? '--accent-faint' : '--accent-soft'),
        width: lines ? 1.5 : 0,
        points: lines ? { show: true, size: 4, filter: isolatedIn } : { show: false },
        value: (_plot, value) => (value === null ? '–' : formatCount(value)),
        ...(lines || bars === undefined ? {} : { paths: bars }),
      },
    ],
  };
}

/** Indexes of values without a neighbour, which a line would not show. */
function isolatedIn({ data }: uPlot, series: number): number[] {
  const values = data[series];
  const isMissing = (index: number): boolean => values[index] === null || values[index] === undefined;
  return [...values.keys()].filter((at) => !isMissing(at) && isMissing(at - 1) && isMissing(at + 1));
}

/** The time span of the axis: lines end at the last reading, bars at the end of the last bucket. */
function spanOf(seconds: ArrayLike<number>, lines: boolean): uPlot.Range.MinMax {
  const count = seconds.length;
  if (count === 0) return [null, null];
  const [first, last] = [seconds[0], seconds[count - 1]];
  if (lines) return [Math.min(first, last - LINE_SECONDS_MIN), last];
  let width = last - first;
  for (let at = 1; at < count; at++) width = Math.min(width, seconds[at] - seconds[at - 1]);
  return [first, last + width];
}
