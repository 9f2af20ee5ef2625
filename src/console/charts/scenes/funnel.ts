/** A funnel as horizontal bars: of each step those who reached it, and behind them those who were lost. */

import { groupName, shareText, stepBefore } from '../../answer/behaviour.js';
import type { FunnelGroup, FunnelStep } from '../../answer/behaviour-answer.js';
import { formatCount, formatSeconds } from '../../answer/format.js';
import { fitted, legend, type Scene, type Shape, seriesInk } from './scene.js';

const ROW = 76;
const BAR = 26;
const GROUP_BAR = 12;

/** The action of a bar: twice the step's index, plus 1 for those who were lost there. */
export const actionOf = (step: number, lost: boolean): number => step * 2 + (lost ? 1 : 0);

export function funnelScene(
  steps: readonly FunnelStep[],
  groups: readonly FunnelGroup[],
  width: number,
): Scene {
  const [names, legendHeight] = legend(groups.map(groupName), width, 0);
  const rowHeight = ROW + groups.length * (GROUP_BAR + 3);
  const shapes: Shape[] = [...names];
  const most = Math.max(1, steps[0]?.count ?? 0);
  for (const [index, step] of steps.entries()) {
    const top = legendHeight + index * rowHeight;
    shapes.push(
      ...stepShapes(step, index === 0 ? undefined : steps[stepBefore(steps, index)], {
        index,
        top,
        width,
        most,
      }),
    );
    for (const [at, { steps: own }] of groups.entries()) {
      const y = top + 24 + BAR + 4 + at * (GROUP_BAR + 3);
      shapes.push(...groupShapes(own, index, { y, width, ink: at, name: groupName(groups[at]) }));
    }
  }
  return { width, height: legendHeight + steps.length * rowHeight, shapes };
}

interface Row {
  readonly index: number;
  readonly top: number;
  readonly width: number;
  readonly most: number;
}

function stepShapes(
  step: FunnelStep,
  before: FunnelStep | undefined,
  { index, top, width, most }: Row,
): Shape[] {
  const reached = (step.count / most) * width;
  const lost = before === undefined ? 0 : Math.max(0, before.count - step.count);
  const time = step.seconds?.median == null ? '' : ` · median ${formatSeconds(step.seconds.median)}`;
  const drop = lost > 0 ? `${formatCount(lost)} lost (${shareText(lost / (before?.count || 1))})` : '';
  const facts = `${formatCount(step.count)} · ${shareText(step.conversion)}${time}`;
  const y = top + 24;
  const shapes: Shape[] = [
    {
      kind: 'text',
      x: 0,
      y: top + 15,
      text: fitted(`${index + 1}. ${step.name}`, width - 220),
      fill: 'ink',
      bold: true,
    },
    { kind: 'text', x: width, y: top + 15, text: facts, fill: 'ink', anchor: 'end' },
    {
      ...{ kind: 'rect', x: 0, y, width: Math.max(1, reached), height: BAR, fill: 'accent' },
      ...{ title: `${step.name}: ${facts}`, action: actionOf(index, false) },
    },
  ];
  if (lost === 0) return shapes;
  shapes.push(
    {
      ...{ kind: 'rect', x: reached, y, width: (lost / most) * width, height: BAR, fill: 'line-strong' },
      ...{ opacity: 0.55, title: `${drop} before ${step.name}`, action: actionOf(index, true) },
    },
    { kind: 'text', x: width - 6, y: y + 18, text: drop, fill: 'ink', anchor: 'end' },
  );
  return shapes;
}

interface GroupRow {
  readonly y: number;
  readonly width: number;
  readonly ink: number;
  readonly name: string;
}

/** A bar of a group, whose whole width is the group's own first step: groups of different size compare. */
function groupShapes(own: readonly FunnelStep[], index: number, { y, width, ink, name }: GroupRow): Shape[] {
  const step = own[index];
  if (step === undefined) return [];
  const share = own[0].count === 0 ? 0 : step.count / own[0].count;
  const text = `${name}: ${formatCount(step.count)}, ${shareText(step.conversion)}`;
  const barWidth = (width - 60) * share;
  return [
    {
      kind: 'rect',
      x: 0,
      y,
      width: Math.max(1, barWidth),
      height: GROUP_BAR,
      fill: seriesInk(ink),
      title: text,
    },
    { kind: 'text', x: barWidth + 6, y: y + 10, text: shareText(step.conversion), fill: 'ink-soft' },
  ];
}
