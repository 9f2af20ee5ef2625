/** Downloads a chart as a picture. */
import { useState } from 'preact/hooks';
import type { Chart } from '../answer/chart.js';
import { pngOf } from '../charts/scene-png.js';
import { svgOf } from '../charts/scene-svg.js';
import { sceneOfChart } from '../charts/scenes/of-chart.js';
import type { Ink, Scene } from '../charts/scenes/scene.js';
import { ErrorBox } from './controls.js';
import { download } from './download.js';

const WIDTH = 960;

export function PictureButtons({ chart }: { readonly chart: Chart }) {
  const [error, setError] = useState<unknown>(null);
  const scene = sceneOfChart(chart, WIDTH);
  if (scene === null) return null;
  const save = (
    name: string,
    make: (scene: Scene, colours: (ink: Ink) => string) => Blob | Promise<Blob>,
  ): void => {
    const style = getComputedStyle(document.documentElement);
    const colours = (ink: Ink): string => style.getPropertyValue(`--${ink}`).trim();
    setError(null);
    Promise.resolve(make(scene, colours)).then((blob) => download(name, blob), setError);
  };
  return (
    <div class="row wrap pictures">
      <button type="button" class="quiet" onClick={() => save('quarry.png', pngOf)}>
        Download PNG
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() =>
          save('quarry.svg', (whole, colours) => new Blob([svgOf(whole, colours)], { type: 'image/svg+xml' }))
        }
      >
        Download SVG
      </button>
      {error !== null && <ErrorBox error={error} />}
    </div>
  );
}
