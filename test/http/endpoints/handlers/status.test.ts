/** GET /v1/status: the contents of a database that its keys may see. */
import t from 'tap';
import { DATABASE_ID, KEYS } from '../../fake-engine.js';
import { codeOf, sendRequest, startFront } from '../../harness.js';

t.test(
  'every dimension and column of the database is listed, including empty ones, and none of other databases',
  async (t) => {
    const front = await startFront(t);
    const make = { name: 'visit', type: 'string-event', dimension: 'people' };
    const headers = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
    await sendRequest(front, { path: '/v1/column', headers, body: JSON.stringify([make]) });
    const model = front.engine.catalog().databases.get(DATABASE_ID);
    const people = model?.dimensions.get('people');
    const visit = people?.columns.get('visit');
    if (people === undefined || visit === undefined) throw new Error('the column was not created');
    const data = { dimensionId: people.id, entityCount: 3, eventCounts: [{ columnId: visit.id, count: 7 }] };
    const memory = [
      { use: 'entity-ids', columnId: 0, bytes: 100 },
      { use: 'events', columnId: visit.id, bytes: 40 },
      { use: 'dictionaries', columnId: visit.id, bytes: 2 },
    ] as const;
    front.engine.data = [
      { databaseId: DATABASE_ID + 1, ...data, memory },
      { databaseId: DATABASE_ID, ...data, memory },
    ];
    const reply = await sendRequest(front, { path: '/v1/status', headers: { Authorization: KEYS.read } });
    const { took, ...answer } = JSON.parse(reply.body) as {
      took: number;
      dimensions: { 'api-name': string }[];
    };
    t.type(took, 'number');
    t.match(answer, { status: 'success', database: 'quarry' });
    t.strictSame(
      answer.dimensions.find((one) => one['api-name'] === 'people'),
      {
        ...{ 'api-name': 'people', entities: 3, bytes: 142 },
        columns: [
          { 'api-name': 'entity-id', bytes: 100 },
          { 'api-name': 'visit', events: 7, bytes: 42 },
        ],
      },
    );
    t.match(
      answer.dimensions.find((one) => one['api-name'] === 'default'),
      { entities: 0, bytes: 0 },
    );
    const refused = await sendRequest(front, { path: '/v1/status', headers: { Authorization: KEYS.write } });
    t.equal(codeOf(refused), 503);
  },
);
