/** Draws a chart of any kind. */
import type { Chart } from '../answer/chart.js';
import { Bars } from '../charts/bars.js';
import { LineChart } from '../charts/lines.js';
import { PointMap } from '../charts/map.js';
import { PlanTree } from '../charts/plan.js';
import { RetentionTable } from '../charts/retention.js';
import { SceneView } from '../charts/scene-view.js';
import { flowScene } from '../charts/scenes/flow.js';
import { funnelScene } from '../charts/scenes/funnel.js';
import { lifecycleScene } from '../charts/scenes/lifecycle.js';
import { SessionTiles } from '../charts/sessions.js';
import { Timeline } from '../charts/timeline.js';
import { Times } from '../charts/times.js';
import type { Pick } from '../query/behind.js';

interface DrawnProps {
  readonly chart: Chart;
  /** Called with what is clicked; absent = nothing can be clicked. */
  readonly onPick?: ((pick: Pick) => void) | undefined;
}

export function Drawn({ chart, onPick }: DrawnProps) {
  switch (chart.kind) {
    case 'bars':
      return (
        <Bars {...chart} {...(onPick && { onPick: (index: number) => onPick({ kind: 'bar', index }) })} />
      );
    case 'times':
      return <Times {...chart} />;
    case 'lines':
      return <LineChart {...chart} />;
    case 'map':
      return <PointMap {...chart} />;
    case 'funnel':
      return (
        <SceneView
          label="Funnel"
          sceneOf={(width) => funnelScene(chart.steps, chart.groups, width)}
          {...(onPick && {
            onAction: (action: number) => onPick({ kind: 'step', step: action >> 1, lost: action % 2 === 1 }),
          })}
        />
      );
    case 'retention':
      return (
        <RetentionTable
          {...chart}
          {...(onPick && {
            onPick: (cohort: number, period: number | null) => onPick({ kind: 'cohort', cohort, period }),
          })}
        />
      );
    case 'lifecycle':
      return <SceneView label="Lifecycle" sceneOf={(width) => lifecycleScene(chart.series, width)} />;
    case 'flow':
      return <SceneView label="Flow" sceneOf={(width) => flowScene(chart, width)} />;
    case 'sessions':
      return <SessionTiles {...chart} />;
    case 'plan':
      return <PlanTree nodes={chart.nodes} />;
    case 'timeline':
      return <Timeline events={chart.events} />;
    case 'figure':
      return (
        <p class="figure">
          <strong>{grouped(chart.value)}</strong> <span>{chart.label}</span>
        </p>
      );
  }
}

/** Groups any number of digits by thousands. */
const grouped = (text: string): string =>
  text.replace(/^-?\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
