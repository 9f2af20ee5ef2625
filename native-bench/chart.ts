/** Draws the comparisons of a run: one bar per question, the ratio to the better of the other databases. */
import { parse, type Spec, View } from 'vega';
import { type Comparison, ratioOf } from './comparison.js';

const BAR_PIXELS = 18;
const WIDTH_PIXELS = 640;
const AHEAD = '#2a7f62';
const BEHIND = '#b8442e';

/** An SVG with ratios on a logarithmic scale; at the line at 1 both are equal. */
export function chartOf(comparisons: readonly Comparison[], title: string): Promise<string> {
  const values = comparisons.flatMap((comparison) => {
    const ratio = ratioOf(comparison);
    if (ratio === null) return [];
    const name = `${comparison.line}: ${comparison.name}`;
    return [
      {
        name,
        ratio,
        from: Math.min(ratio, 1),
        to: Math.max(ratio, 1),
        text: `${ratio.toFixed(ratio < 1 ? 2 : 1)}x`,
      },
    ];
  });
  const spec: Spec = {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH_PIXELS,
    height: values.length * BAR_PIXELS,
    padding: 8,
    background: 'white',
    title: { text: title, anchor: 'start' },
    data: [{ name: 'questions', values }],
    scales: [
      {
        name: 'names',
        type: 'band',
        domain: { data: 'questions', field: 'name' },
        range: 'height',
        padding: 0.2,
      },
      {
        name: 'ratios',
        type: 'log',
        domain: {
          fields: [
            { data: 'questions', field: 'from' },
            { data: 'questions', field: 'to' },
          ],
        },
        range: 'width',
        nice: true,
      },
    ],
    axes: [
      { orient: 'left', scale: 'names', labelLimit: 400 },
      {
        orient: 'bottom',
        scale: 'ratios',
        title: 'times as fast as the better one of the others',
        grid: true,
      },
    ],
    marks: [
      {
        type: 'rect',
        from: { data: 'questions' },
        encode: {
          enter: {
            y: { scale: 'names', field: 'name' },
            height: { scale: 'names', band: 1 },
            x: { scale: 'ratios', field: 'from' },
            x2: { scale: 'ratios', field: 'to' },
            fill: [{ test: 'datum.ratio < 1', value: BEHIND }, { value: AHEAD }],
          },
        },
      },
      {
        type: 'text',
        from: { data: 'questions' },
        encode: {
          enter: {
            y: { scale: 'names', field: 'name', band: 0.5 },
            x: { scale: 'ratios', field: 'to', offset: 4 },
            baseline: { value: 'middle' },
            text: { field: 'text' },
            fontSize: { value: 10 },
          },
        },
      },
    ],
  };
  return new View(parse(spec), { renderer: 'none' }).toSVG();
}
