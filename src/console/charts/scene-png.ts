/** Pictures as PNG files, drawn on a canvas: the page's policy allows no images of data, so SVG cannot be loaded. */
import { type Colours, MARGIN } from './scene-svg.js';
import { FONT, type Scene, type Shape, TEXT_SIZE } from './scenes/scene.js';

function drawShape(context: CanvasRenderingContext2D, shape: Shape, colours: Colours): void {
  context.globalAlpha = shape.opacity ?? 1;
  if (shape.kind === 'rect') {
    context.fillStyle = colours(shape.fill);
    context.fillRect(shape.x, shape.y, shape.width, shape.height);
    return;
  }
  if (shape.kind === 'path') {
    const path = new Path2D(shape.d);
    if (shape.fill !== undefined) {
      context.fillStyle = colours(shape.fill);
      context.fill(path);
    }
    if (shape.stroke !== undefined) {
      context.strokeStyle = colours(shape.stroke);
      context.lineWidth = shape.width ?? 1;
      context.stroke(path);
    }
    return;
  }
  context.font = `${shape.bold ? 600 : 400} ${TEXT_SIZE}px ${FONT}`;
  context.textAlign = shape.anchor === 'middle' ? 'center' : (shape.anchor ?? 'start');
  context.fillStyle = colours(shape.fill);
  context.fillText(shape.text, shape.x, shape.y);
}

/** Pixels of the file for each pixel of the picture. */
const DENSITY = 2;

/** A PNG; rejects if the browser cannot make one of this size. */
export function pngOf({ width, height, shapes }: Scene, colours: Colours): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = (width + 2 * MARGIN) * DENSITY;
  canvas.height = (height + 2 * MARGIN) * DENSITY;
  const context = canvas.getContext('2d');
  if (context === null) return Promise.reject(new Error('this browser draws no pictures'));
  context.scale(DENSITY, DENSITY);
  context.fillStyle = colours('panel');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(MARGIN, MARGIN);
  for (const shape of shapes) drawShape(context, shape, colours);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob)),
      'image/png',
    ),
  );
}
