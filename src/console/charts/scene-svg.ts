/** Pictures as SVG files. */
import { FONT, type Ink, type Scene, type Shape, TEXT_SIZE } from './scenes/scene.js';

/** The colour of an ink, such as `#1d7460`. */
export type Colours = (ink: Ink) => string;

/** Around the picture, in pixels. */
export const MARGIN = 16;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function svgShape(shape: Shape, colours: Colours): string {
  const opacity = shape.opacity === undefined ? '' : ` opacity="${shape.opacity}"`;
  if (shape.kind === 'rect') {
    const { x, y, width, height, fill } = shape;
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colours(fill)}"${opacity}/>`;
  }
  if (shape.kind === 'path') {
    const fill = shape.fill === undefined ? 'none' : colours(shape.fill);
    const stroke =
      shape.stroke === undefined
        ? ''
        : ` stroke="${colours(shape.stroke)}" stroke-width="${shape.width ?? 1}"`;
    return `<path d="${shape.d}" fill="${fill}"${stroke}${opacity}/>`;
  }
  const { x, y, fill, anchor = 'start', bold } = shape;
  return `<text x="${x}" y="${y}" fill="${colours(fill)}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ''}${opacity}>${escaped(shape.text)}</text>`;
}

/** A whole SVG document. */
export function svgOf({ width, height, shapes }: Scene, colours: Colours): string {
  const [wide, high] = [width + 2 * MARGIN, height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="${-MARGIN} ${-MARGIN} ${wide} ${high}" font-family="${FONT}" font-size="${TEXT_SIZE}">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${wide}" height="${high}" fill="${colours('panel')}"/>`,
    ...shapes.map((shape) => svgShape(shape, colours)),
    '</svg>\n',
  ].join('\n');
}
