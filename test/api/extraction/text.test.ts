import t from 'tap';
import { bindExtraction, type Extraction, extractionText } from '../../../src/api/index.js';
import type { ExtractedRow, ExtractedValue } from '../../../src/ir/index.js';
import type { Point } from '../../../src/schema/index.js';
import { json } from '../databases.js';
import { INT_IS, REQUEST } from '../extractions.js';

const bind = (columns: string, fields = '', query = INT_IS(5)): Extraction =>
  bindExtraction(
    json(`{"query":[${query}],"columns":${columns}${fields === '' ? '' : `,${fields}`}}`),
    REQUEST,
  );
const row = (
  id: string,
  values: readonly ExtractedValue[],
  distanceKm = 0,
  nearest: Point | null = null,
): ExtractedRow => ({
  position: { id, score: 0, distanceKm, values: [] },
  nearest,
  values,
});
const END = '"page":1,"next-page":null';

t.test('rows are members of an object, in result order, with any IDs', async (t) => {
  const ids = ['b', '10', '9', '__proto__', 'constructor', '', '"\\\n', 'é𝒳'];
  const rows = ids.map((id, index) => row(id, [String(index)]));
  t.equal(
    extractionText(bind('["int"]'), rows),
    '"data":{"b":{"int":"0"},"10":{"int":"1"},"9":{"int":"2"},"__proto__":{"int":"3"},"constructor":{"int":"4"},' +
      `"":{"int":"5"},"\\"\\\\\\n":{"int":"6"},"é𝒳":{"int":"7"}},${END}`,
  );
  t.equal(extractionText(bind('["int"]'), []), `"data":{},${END}`);
});

t.test('rows are a list if there is an order or the ID is named', async (t) => {
  const ordered = bind('["int"]', '"order":[{"int":"asc"}]');
  t.equal(
    extractionText(ordered, [row('x', ['1']), row('y', ['2'])]),
    `"data":[{"int":"1"},{"int":"2"}],${END}`,
  );
  t.equal(
    extractionText(bind('["int","entity-id"]'), [row('x"', ['1', 'x"'])]),
    `"data":[{"int":"1","entity-id":"x\\""}],${END}`,
  );
  t.equal(extractionText(ordered, []), `"data":[],${END}`);
});

t.test('missing values are left out', async (t) => {
  t.equal(
    extractionText(bind('["int","text","list",{"ie":["today"]}]'), [
      row('x', [null, 'a', null, null]),
      row('y', [null, null, null, null]),
    ]),
    `"data":{"x":{"text":"a"},"y":{}},${END}`,
  );
});

t.test('values are strings, and lists are written as they are', async (t) => {
  t.equal(
    extractionText(bind('["list","time","geo"]'), [
      row('x', ['["1","2"]', '2018-01-02t03:04:05z', '[1,2.5]']),
      row('Y', ['["7"]', null, null]),
    ]),
    `"data":{"x":{"list":["1","2"],"time":"2018-01-02t03:04:05z","geo":"[1,2.5]"},"Y":{"list":["7"]}},${END}`,
  );
});

t.test('events are written as they are', async (t) => {
  const event = (value: string): string => `{"value":"${value}","date":"2018-01-02T03:04:05Z"}`;
  t.equal(
    extractionText(bind('[{"ie":["today"]}]'), [
      row('x', [event('1')]),
      row('y', [`[${event('1')},${event('2')}]`]),
    ]),
    '"data":{"x":{"ie":{"value":"1","date":"2018-01-02T03:04:05Z"}},' +
      '"y":{"ie":[{"value":"1","date":"2018-01-02T03:04:05Z"},{"value":"2","date":"2018-01-02T03:04:05Z"}]}},' +
      END,
  );
});

t.test('nearest rows contain their distance with a fraction, and their point if requested', async (t) => {
  const near = (more: string): Extraction =>
    bind('["int"]', '', `{"geo":{"geo_near":{"longitude":1,"latitude":2,"limit":9${more}}}}`);
  const rows = [
    row('x', ['1'], 0, { longitude: 1, latitude: 2 }),
    row('y', [null], 12.25, { longitude: -179.5, latitude: 0 }),
    row('z', [null], 1e-7, { longitude: 1e-7, latitude: -90 }),
  ];
  t.equal(
    extractionText(near(''), rows),
    `"data":{"x":{"int":"1","geo_distance":0.0},"y":{"geo_distance":12.25},"z":{"geo_distance":1e-7}},${END}`,
  );
  t.equal(
    extractionText(near(',"show_coordinates":true'), rows),
    '"data":{"x":{"int":"1","geo_distance":0.0,"geo_coordinates":[1.0,2.0]},' +
      '"y":{"geo_distance":12.25,"geo_coordinates":[-179.5,0.0]},' +
      `"z":{"geo_distance":1e-7,"geo_coordinates":[1e-7,-90.0]}},${END}`,
  );
});

t.test('the row after the page is left out, but shows that there is a next page', async (t) => {
  const extraction = bind('["int"]', '"limit":5000');
  const rows = Array.from({ length: extraction.plan.limit }, (_, index) => row(`id${index}`, ['1']));
  const text = extractionText(extraction, rows);
  t.match(text, /"id1023":\{"int":"1"\}\},"page":1,"next-page":2,"page-token":"[\w-]+"$/);
  t.notMatch(text, /id1024/);
  t.match(extractionText(extraction, rows.slice(1)), /"page":1,"next-page":null$/);
});

t.test('an answer that becomes too long is refused', async (t) => {
  const rows = Array.from({ length: 10 }, (_, index) => row(String(index), ['1234567']));
  const extraction = bind('["int"]');
  const length = rows.length * '{"int":"1234567"}'.length;
  t.doesNotThrow(() => extractionText(extraction, rows, length));
  t.throws(() => extractionText(extraction, rows, length - 1), { code: 9006 });
});
