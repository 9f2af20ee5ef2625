/**
 * A flow as a Sankey diagram: a column of bars for each level, and bands between them. The answer has levels and the order
 * of their nodes, so that the layout is only arithmetic.
 */

import { nodeName } from '../../answer/behaviour.js';
import type { Flow } from '../../answer/behaviour-answer.js';
import { formatCount, formatSeconds } from '../../answer/format.js';
import { fitted, type Ink, type Scene, type Shape, seriesInk } from './scene.js';

const HEIGHT = 430;
const NODE_WIDTH = 12;
const GAP = 14;
const TOP = 22;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly name: string;
  readonly count: number;
  /** Where the next band leaves, and where the next one arrives. */
  out: number;
  in: number;
}

export function flowScene({ levels, links }: Flow, width: number): Scene {
  const paths = levels.map(({ nodes }) => nodes.reduce((sum, { count }) => sum + count, 0));
  const nodesMax = Math.max(1, ...levels.map(({ nodes }) => nodes.length));
  const scale = (HEIGHT - TOP - GAP * (nodesMax - 1)) / Math.max(1, ...paths);
  const step = levels.length < 2 ? 0 : (width - NODE_WIDTH - lastLabel(width)) / (levels.length - 1);
  const boxes = levels.map(({ nodes }, level): Box[] => {
    let y = TOP;
    return nodes.map((node) => {
      const height = Math.max(1, node.count * scale);
      const box = { x: level * step, y, height, name: nodeName(node), count: node.count, out: y, in: y };
      y += height + GAP;
      return box;
    });
  });
  const colours = new Map<string, number>();
  for (const { name } of boxes.flat()) if (!colours.has(name)) colours.set(name, colours.size);
  const inkOf = (name: string): Ink =>
    name === 'others' ? 'line-strong' : seriesInk(colours.get(name) ?? 0);
  const shapes: Shape[] = [];
  for (const link of [...links].sort((a, b) => a.level - b.level || a.from - b.from || a.to - b.to)) {
    const [from, to] = [boxes[link.level - 1]?.[link.from], boxes[link.level]?.[link.to]];
    if (from === undefined || to === undefined) continue;
    const height = link.count * scale;
    const median = link['median-seconds'];
    const after = median === null ? '' : `, median ${formatSeconds(median)}`;
    const title = `${from.name} → ${to.name}: ${formatCount(link.count)}${after}`;
    shapes.push({ kind: 'path', d: band(from, to, height), fill: inkOf(from.name), opacity: 0.35, title });
    from.out += height;
    to.in += height;
  }
  for (const [level, column] of boxes.entries()) {
    const ended = levels[level].ended;
    const head = `${formatCount(paths[level])}${ended > 0 && level < levels.length - 1 ? `, ${formatCount(ended)} end here` : ''}`;
    const space = (level === levels.length - 1 ? lastLabel(width) : step) - 6;
    shapes.push({ kind: 'text', x: level * step, y: 12, text: fitted(head, space), fill: 'ink-soft' });
    for (const box of column) shapes.push(...nodeShapes(box, space - NODE_WIDTH, inkOf(box.name)));
  }
  return { width, height: HEIGHT + 20, shapes };
}

/** The width of the labels right of the last level. */
const lastLabel = (width: number): number => Math.min(130, width / 4);

function band(from: Box, to: Box, height: number): string {
  const [left, right] = [from.x + NODE_WIDTH, to.x];
  const middle = (left + right) / 2;
  const [y, end] = [from.out, to.in];
  return (
    `M${left} ${y}C${middle} ${y} ${middle} ${end} ${right} ${end}V${end + height}` +
    `C${middle} ${end + height} ${middle} ${y + height} ${left} ${y + height}Z`
  );
}

function nodeShapes({ x, y, height, name, count }: Box, space: number, fill: Ink): Shape[] {
  const label = fitted(`${name} ${formatCount(count)}`, space);
  return [
    { kind: 'rect', x, y, width: NODE_WIDTH, height, fill, title: `${name}: ${formatCount(count)}` },
    { kind: 'text', x: x + NODE_WIDTH + 5, y: y + Math.min(height, 24) / 2 + 4, text: label, fill: 'ink' },
  ];
}
