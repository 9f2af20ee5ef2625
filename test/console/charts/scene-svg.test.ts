/** Pictures as SVG files. */
import t from 'tap';
import { svgOf } from '../../../src/console/charts/scene-svg.js';
import { sceneOfChart } from '../../../src/console/charts/scenes/of-chart.js';

t.test('an SVG file has every shape, colours instead of names, and texts as text', async (t) => {
  const name = '<script> & "co"';
  const scene = sceneOfChart({ kind: 'bars', label: '', bars: [{ name, value: 3, text: '3' }] }, 600);
  if (scene === null) throw new Error('bars have a picture');
  const svg = svgOf(scene, (ink) => `colour-of-${ink}`);
  t.match(svg, '&lt;script&gt; &amp; &quot;co&quot;');
  t.notMatch(svg, '<script>');
  t.match(svg, 'fill="colour-of-accent"');
  t.equal(svg.match(/<(rect|text|path) /g)?.length, scene.shapes.length + 1, 'the shapes and the ground');
  t.equal(sceneOfChart({ kind: 'figure', value: '1', label: '' }, 600), null);
});
