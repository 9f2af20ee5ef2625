import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { greatCircleKm } from '../../../src/kernels/index.js';
import { valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 26_17;
t.comment(`seed ${SEED}`);

const BERLIN = 'geo_point(13.405, 52.52)';
const PARIS = 'geo_point(2.3522, 48.8566)';

t.test('distances are those of the condition geo_radius, in metres', async (t) => {
  const distance = valueOfSql(`geo_distance(${BERLIN}, ${PARIS})`);
  t.equal(distance, greatCircleKm(13.405, 52.52, 2.3522, 48.8566) * 1_000);
  t.ok(Math.abs(Number(distance) - 877_464) < 1_000, String(distance));
  t.equal(valueOfSql(`geo_within_radius(${BERLIN}, ${PARIS}, 877000)`), false);
  t.equal(valueOfSql(`geo_within_radius(${BERLIN}, ${PARIS}, 878000)`), true);
  t.equal(valueOfSql(`longitude(${BERLIN})`), 13.405);
  t.equal(valueOfSql(`latitude(${BERLIN})`), 52.52);
  t.equal(valueOfSql('geo_distance(geo_point(180, 0), geo_point(-180, 0))'), 0);
  t.equal(valueOfSql(`geo_distance(${BERLIN}, NULL)`), null);
});

t.test('boxes include their edges, and may cross the antimeridian', async (t) => {
  const within = (longitude: number, latitude: number, box: string): unknown =>
    valueOfSql(`geo_within_box(geo_point(${longitude}, ${latitude}), ${box})`);
  const box = 'geo_point(10, 40), geo_point(20, 50)';
  t.strictSame(
    [within(10, 40, box), within(20, 50, box), within(20.001, 45, box), within(15, 39.9, box)],
    [true, true, false, false],
  );
  const pacific = 'geo_point(170, -10), geo_point(-170, 10)';
  t.strictSame(
    [within(175, 0, pacific), within(-175, 0, pacific), within(0, 0, pacific)],
    [true, true, false],
  );
});

/** Whether the angles under which a point sees the edges of a polygon add up to a full turn. */
function winds(corners: readonly (readonly [number, number])[], [x, y]: readonly [number, number]): boolean {
  let turn = 0;
  corners.forEach(([ax, ay], index) => {
    const [bx, by] = corners[(index + 1) % corners.length];
    const angle = Math.atan2(by - y, bx - x) - Math.atan2(ay - y, ax - x);
    turn += Math.atan2(Math.sin(angle), Math.cos(angle));
  });
  return Math.abs(turn) > Math.PI;
}

t.test('points in polygons without crossing edges are those around which the edges turn', async (t) => {
  const random = new Prng(SEED);
  const wrong: string[] = [];
  let inside = 0;
  for (let round = 0; round < 300; round++) {
    const count = random.between(3, 8);
    // Corners in order of their angle from the center make a polygon whose edges do not cross.
    const corners = Array.from({ length: count }, (_, index): [number, number] => {
      const angle = ((index + random.between(0, 80) / 100) / count) * 2 * Math.PI;
      const radius = random.between(5, 40);
      return [Math.cos(angle) * radius, Math.sin(angle) * radius];
    });
    const point: [number, number] = [
      random.between(-300, 300) / 10 + 0.0123,
      random.between(-300, 300) / 10 + 0.0456,
    ];
    const expected = winds(corners, point);
    if (expected) inside++;
    const sql = `geo_within_polygon(geo_point(${point[0]}, ${point[1]}), '${JSON.stringify(corners)}')`;
    if (valueOfSql(sql) !== expected) wrong.push(sql);
  }
  t.strictSame(wrong.slice(0, 3), []);
  t.ok(inside > 50 && inside < 250, `${inside} inside`);
});

t.test('texts that are not points or polygons are refused', async (t) => {
  for (const [sql, message] of [
    ['geo_point(181, 0)', 'there is no point at longitude 181'],
    ['geo_point(0, 91)', 'there is no point'],
    ["latitude(to_json('x'))", 'is not a point [longitude,latitude]'],
    ['latitude(json_build_array(1, 2, 3))', 'is not a point'],
    [`geo_within_polygon(${BERLIN}, 'x')`, 'is not JSON'],
    [`geo_within_polygon(${BERLIN}, '[[0,0],[1,1]]')`, 'has fewer than 3 corners'],
    [`geo_within_polygon(${BERLIN}, '[[0,0],[1,1],[2]]')`, 'has a corner that is not a point'],
    [`geo_within_polygon(${BERLIN}, '[[-170,0],[170,0],[0,50]]')`, 'spans more than 180 degrees'],
    ["latitude('[1,2]')", 'takes a point'],
  ]) {
    const value = JSON.stringify(valueOfSql(sql));
    t.ok(value.includes(message), `${sql}: ${value}`);
  }
});
