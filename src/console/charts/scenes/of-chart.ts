/** The picture of any chart, for files. */
import type { Chart } from '../../answer/chart.js';
import { barsScene } from './bars.js';
import { flowScene } from './flow.js';
import { funnelScene } from './funnel.js';
import { heatScene } from './heat.js';
import { lifecycleScene } from './lifecycle.js';
import { linesScene } from './lines.js';
import type { Scene } from './scene.js';

/** The picture in a width; null = the chart has none: numbers, timelines and maps. */
export function sceneOfChart(chart: Chart, width: number): Scene | null {
  switch (chart.kind) {
    case 'bars':
      return barsScene(chart.bars, width);
    case 'times': {
      const lines = [{ name: chart.label, values: chart.values }];
      return linesScene({ label: chart.label, axis: 'time', at: chart.seconds, lines }, width);
    }
    case 'lines':
      return linesScene(chart, width);
    case 'funnel':
      return funnelScene(chart.steps, chart.groups, width);
    case 'retention':
      return heatScene(chart, width);
    case 'lifecycle':
      return lifecycleScene(chart.series, width);
    case 'flow':
      return flowScene(chart, width);
    default:
      return null;
  }
}
