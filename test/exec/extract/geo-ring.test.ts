/** Rings around points, compared with the distance of every point. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { GeoRing } from '../../../src/exec/extract/geo-ring.js';
import { countBits, fillWords, hasBit } from '../../../src/exec/extract/row-words.js';
import { compileKernels, greatCircleKm } from '../../../src/kernels/index.js';
import { ArenaPool } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';

const SEED = 5_772;
t.comment(`seed ${SEED}`);

const COUNT = 3_000;
const HALF_ROUND_KM = Math.PI * 6_371.0088;

/**
 * Points near the center, on its meridian and parallel, at its antipode, at poles and the antimeridian, and anywhere.
 */
function generatePoint(prng: Prng, longitude: number, latitude: number): [number, number] {
  const step = (prng.unit() - 0.5) * 10 ** prng.between(-6, 2);
  const wrapped = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;
  switch (prng.below(6)) {
    case 0:
      return [wrapped(longitude + step), latitude];
    case 1:
      return [longitude, Math.max(-90, Math.min(90, latitude + step))];
    case 2:
      return [wrapped(longitude + 180 + step), Math.max(-90, Math.min(90, -latitude + step))];
    case 3:
      return [prng.pick([-180, 180, prng.unit() * 360 - 180]), prng.pick([-90, 90, 89.9999, -89.9999, 0])];
    default:
      return [prng.unit() * 360 - 180, prng.unit() * 180 - 90];
  }
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: every point in a ring is selected, and few other points are`, async (t) => {
    const prng = new Prng(SEED);
    const [block] = new ArenaPool(module).allocate([COUNT * 16 + 4_096], null);
    const { arena, at } = block;
    const [lost, retained]: [string[], string[]] = [[], []];
    for (let round = 0; round < 120; round++) {
      const longitude = prng.pick([0, 180, -180, 179.9, prng.unit() * 360 - 180]);
      const latitude = prng.pick([0, 90, -90, 89.99, -60, prng.unit() * 180 - 90]);
      const points = Array.from({ length: COUNT }, () => generatePoint(prng, longitude, latitude));
      arena.f64.set(points.flat(), at >> 3);
      const far = points.map(([lon, lat]) => greatCircleKm(longitude, latitude, lon, lat));
      const ring = new GeoRing({ longitude, latitude });
      const nearKm = prng.pick([0, prng.pick(far), prng.pick(far), HALF_ROUND_KM]);
      let farKm = prng.pick([Number.POSITIVE_INFINITY, nearKm, nearKm + prng.unit() * 5_000, HALF_ROUND_KM]);
      // The outer circle shrinks as better rows are found.
      for (let step = 0; step < 3; step++, farKm = nearKm + (farKm - nearKm) * prng.pick([1, 0.9, 0.3])) {
        const words = new Uint32Array(Math.ceil(COUNT / 32));
        fillWords(words, 0, COUNT);
        ring.narrow(nearKm, farKm, arena, at, COUNT, words);
        const inRing = far.filter((km, segmentRow) => {
          const inside = km >= nearKm && km <= farKm;
          if (inside && !hasBit(words, segmentRow))
            lost.push(`${points[segmentRow]} at ${km}: ${nearKm} to ${farKm}`);
          return inside;
        });
        const superfluous = countBits(words) - inRing.length;
        if (nearKm > 1 && nearKm < 19_000 && superfluous > COUNT / 5)
          retained.push(`${superfluous} from ${nearKm} to ${farKm}`);
        if (farKm === Number.POSITIVE_INFINITY) break;
      }
    }
    t.strictSame(lost.slice(0, 3), []);
    t.strictSame(retained.slice(0, 3), []);
  });
}
