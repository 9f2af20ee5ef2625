/**
 * A chart as plain shapes, which the page draws as SVG and which become SVG and PNG files. Positions and sizes are in
 * pixels from the upper left corner. Colours are names of the style sheet's variables, so that both themes fit.
 */
export type Ink =
  | 'ink'
  | 'ink-soft'
  | 'line'
  | 'line-strong'
  | 'panel'
  | 'accent'
  | 'accent-soft'
  | 'on-accent'
  | `s${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

interface Common {
  readonly opacity?: number;
  /** A note that the pointer shows. */
  readonly title?: string;
  /** A number that the chart gives to what is clicked; absent = nothing happens. */
  readonly action?: number;
}

export type Shape = Common &
  (
    | {
        readonly kind: 'rect';
        readonly x: number;
        readonly y: number;
        readonly width: number;
        readonly height: number;
        readonly fill: Ink;
      }
    | {
        readonly kind: 'path';
        readonly d: string;
        readonly fill?: Ink;
        readonly stroke?: Ink;
        readonly width?: number;
      }
    | {
        readonly kind: 'text';
        readonly x: number;
        readonly y: number;
        readonly text: string;
        readonly fill: Ink;
        readonly anchor?: 'start' | 'middle' | 'end';
        readonly bold?: boolean;
      }
  );

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

/** In pixels. */
export const TEXT_SIZE = 12;
export const FONT = 'system-ui, sans-serif';
/** The mean width of a character. */
const CHARACTER_WIDTH = 6.4;

const SERIES_INKS = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'] as const;
export const seriesInk = (index: number): Ink => SERIES_INKS[index % SERIES_INKS.length];

export const textWidth = (text: string): number => text.length * CHARACTER_WIDTH;

/** The text, cut so that it fits into a width. */
export function fitted(text: string, width: number): string {
  const characters = Math.floor(width / CHARACTER_WIDTH);
  if (text.length <= characters) return text;
  return characters < 2 ? '' : `${text.slice(0, characters - 1)}…`;
}

/** Names of series with their colours, in as many lines as the width requires; the height is the second result. */
export function legend(
  names: readonly string[],
  width: number,
  top: number,
): [shapes: Shape[], height: number] {
  const shapes: Shape[] = [];
  let x = 0;
  let y = top;
  for (const [index, whole] of names.entries()) {
    const text = fitted(whole, width - 20);
    if (x > 0 && x + textWidth(text) + 20 > width) {
      x = 0;
      y += 20;
    }
    shapes.push({ kind: 'rect', x, y: y + 2, width: 11, height: 11, fill: seriesInk(index) });
    shapes.push({ kind: 'text', x: x + 16, y: y + 12, text, fill: 'ink' });
    x += textWidth(text) + 34;
  }
  return [shapes, names.length === 0 ? 0 : y - top + 24];
}
