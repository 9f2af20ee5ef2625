/** Charts as shapes: sizes are in proportion to the numbers, and everything is inside the picture. */
import t, { type Test } from 'tap';
import { flowScene } from '../../../../src/console/charts/scenes/flow.js';
import { actionOf, funnelScene } from '../../../../src/console/charts/scenes/funnel.js';
import { heatScene } from '../../../../src/console/charts/scenes/heat.js';
import { lifecycleScene } from '../../../../src/console/charts/scenes/lifecycle.js';
import { linesScene } from '../../../../src/console/charts/scenes/lines.js';
import type { Scene } from '../../../../src/console/charts/scenes/scene.js';

const WIDTHS = [320, 900];

/** Every rectangle and text begins and ends inside. */
function isInside(t: Test, { width, height, shapes }: Scene): void {
  const outside = shapes.filter((shape) => {
    if (shape.kind === 'path') return false;
    if (shape.kind === 'text') return shape.x < 0 || shape.x > width + 1 || shape.y > height;
    return (
      shape.x < 0 || shape.x + shape.width > width + 1 || shape.y < 0 || shape.y + shape.height > height + 1
    );
  });
  t.strictSame(outside, []);
}
const rects = ({ shapes }: Scene) => shapes.filter((shape) => shape.kind === 'rect');

t.test('a funnel has a bar for those who reached each step and one for those who were lost', async (t) => {
  const step = (name: string, count: number, share: number | null) => ({
    ...{ name, count, conversion: share, 'step-conversion': share },
  });
  const steps = [step('a', 100, null), step('b', 25, 0.25), step('c', 25, 1)];
  for (const width of WIDTHS) {
    const scene = funnelScene(steps, [{ value: 'x', steps }], width);
    isInside(t, scene);
    const bars = rects(scene).filter(({ action }) => action !== undefined);
    t.strictSame(
      bars.map(({ action, width: size }) => [action, Math.round((size / width) * 100)]),
      [
        [actionOf(0, false), 100],
        [actionOf(1, false), 25],
        [actionOf(1, true), 75],
        [actionOf(2, false), 25],
      ],
    );
  }
});

t.test('the bars of a lifecycle stand on the line, and those who stay away hang below it', async (t) => {
  const between = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'] as const;
  const series = [{ between, new: 1, returning: 2, resurrecting: 3, dormant: 6 }];
  for (const width of WIDTHS) {
    const scene = lifecycleScene(series, width);
    isInside(t, scene);
    const bars = rects(scene).filter(({ title }) => title !== undefined);
    const heights = bars.map(({ height }) => height / bars[2].height);
    t.strictSame(
      heights.map((height) => Number(height.toFixed(9))),
      [2, 3, 1, 6],
    );
    t.equal(Number((bars[0].y + bars[0].height - bars[3].y).toFixed(9)), 0, 'one line');
  }
});

t.test('the bands of a flow are as wide as the paths, and nodes do not overlap', async (t) => {
  const node = (value: string, count: number) => ({ column: 'page', value, count });
  const flow = {
    levels: [
      { nodes: [node('a', 10)], ended: 2 },
      { nodes: [node('b', 5), node('c', 2), { others: true as const, count: 1 }], ended: 8 },
    ],
    links: [0, 1, 2].map((to) => ({ level: 1, from: 0, to, count: [5, 2, 1][to], 'median-seconds': 60 })),
  };
  for (const width of WIDTHS) {
    const scene = flowScene(flow, width);
    isInside(t, scene);
    const [a, b, c, others] = rects(scene);
    t.equal(Number((b.height / a.height).toFixed(9)), 0.5);
    t.ok(b.y + b.height < c.y && c.y + c.height < others.y);
    t.equal(scene.shapes.filter(({ kind }) => kind === 'path').length, 3);
  }
});

t.test(
  'lines are interrupted where there is no value, and a table has a square for each number',
  async (t) => {
    const lines = [{ name: 'one', values: [1, null, 3, 4] }];
    for (const width of WIDTHS) {
      const scene = linesScene({ label: '', axis: 'number', at: [0, 1, 2, 3], lines }, width);
      isInside(t, scene);
      const path = scene.shapes.filter((shape) => shape.kind === 'path').at(-1);
      t.match(path?.d, /^M[\d. ]+M[\d. ]+L[\d. ]+$/);
      const cohort = { between: ['2026-01-01T00:00:00Z', ''] as const, size: 4, counts: [4, 2] };
      const heat = heatScene(
        { cohorts: [cohort], total: { size: 4, counts: [4, 2], ratios: [1, 0.5] } },
        width,
      );
      isInside(t, heat);
      t.equal(rects(heat).length, 4);
    }
  },
);
