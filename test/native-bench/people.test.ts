import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { blockBody, generatePeople, readBodies, writeBodies } from '../../native-bench/data/bodies.js';
import { writePeopleCsv, writePeopleNdjson } from '../../native-bench/data/peers.js';
import { instantText, People, type Shape } from '../../native-bench/data/people.js';
import { formatDateTime } from '../../src/schema/index.js';

type Event = { readonly value: string | number; readonly date: string };
type Person = Readonly<Record<string, unknown>> & { readonly visit?: Event[] };

const bodyOf = (people: People, block: number): Record<string, Person> =>
  JSON.parse(new TextDecoder().decode(blockBody(people.block(block), people.shape).bytes));

for (const shape of ['ingest', 'full'] satisfies Shape[]) {
  t.test(
    `a block of ${shape} people is the same whenever and in whatever order it is generated`,
    async (t) => {
      const people = new People(7, shape);
      const third = bodyOf(people, 3);
      bodyOf(people, 0);
      t.strictSame(bodyOf(people, 3), third);
      t.strictSame(bodyOf(new People(7, shape), 3), third);
      t.not(JSON.stringify(bodyOf(new People(8, shape), 3)), JSON.stringify(third));
      t.strictSame([Object.keys(third)[0], Object.keys(third).length], ['u00003000', 1000]);
    },
  );

  t.test(`${shape} people have the same rows as bodies, in a body file, as NDJSON and as CSV`, async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-people-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true }));
    const people = new People(11, shape);
    const expected: Record<string, Person> = { ...bodyOf(people, 1), ...bodyOf(people, 2) };

    const file = path.join(dir, 'people.bodies');
    const byteCount = writeBodies(file, generatePeople(people, 1000, 3000));
    const source = readBodies(file);
    const found: Record<string, Person> = {};
    let foundBytes = 0;
    for (let body = source.next(); body !== null; body = source.next()) {
      Object.assign(found, JSON.parse(new TextDecoder().decode(body.bytes)));
      foundBytes += body.bytes.length;
    }
    source.close();
    t.strictSame(found, expected);
    t.equal(foundBytes, byteCount);

    const ndjson = path.join(dir, 'people.ndjson');
    writePeopleNdjson(people, 1000, 3000, ndjson);
    const lines = fs.readFileSync(ndjson, 'utf8').trimEnd().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Person);
    t.strictSame(
      rows,
      Object.entries(expected).map(([id, person]) => ({ id, ...person })),
    );

    const csv = writePeopleCsv(people, 1000, 3000, dir);
    const visits = fs.readFileSync(csv.visit, 'utf8').trimEnd().split('\n').slice(1);
    const expectedVisits = Object.entries(expected).flatMap(([id, { visit = [] }]) =>
      visit.map(({ value, date }) => [id, value, date.length === 10 ? `${date}T00:00:00Z` : date].join()),
    );
    t.strictSame(visits, expectedVisits);
    const entities = fs.readFileSync(csv.entities, 'utf8').trimEnd().split('\n').slice(1);
    t.strictSame(
      entities.map((line) => line.split(',').slice(0, 4).join()),
      Object.entries(expected).map(([id, { country, city, age }]) => [id, country, city, age].join()),
    );
  });
}

t.test('dates from the tables agree with the calendar', async (t) => {
  const block = new People(3, 'full').block(5);
  for (const dates of [block.joined, block.visit.dates, block.purchase.dates, block.rating.dates]) {
    t.strictSame(Array.from(dates, instantText), Array.from(dates, formatDateTime));
  }
});
