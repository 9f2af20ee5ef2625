/**
 * Line bodies for a server that is killed meanwhile: each body is sent again completely, with its Idempotency-Key,
 * until its answer is complete. Then every line must have taken effect once, and later parts must have overwritten
 * earlier ones.
 */
import type { Prng } from '../../../src/base/index.js';
import { LineClient, type PartAnswer, partsIn } from '../../http/line-client.js';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';

const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'country', type: 'string' },
  { name: 'visit', type: 'integer-event' },
];
const LINES_MAX = 6_000;
/** IDs are repeated in every part, so that the result depends on the order. */
const IDS = 1_500;

export interface StreamedStore {
  /** The content of the store as text, to compare two stores. */
  readonly rows: string;
  readonly eventCount: number;
  readonly kills: number;
  readonly parts: readonly PartAnswer[];
}

/** Lines with one event each, and with unique IDs within a part. */
export function linesFrom(random: Prng, count = LINES_MAX): readonly string[] {
  const first = random.below(IDS);
  return Array.from({ length: count }, (_, index) => {
    const id = `u${(first + index) % IDS}`;
    const members = [`"n":${index}`, `"visit":{"value":${index},"date":"2024-01-02"}`];
    if (random.chance(0.5)) members.push(`"country":"${random.pick(['Peru', 'Japan', 'Chile'])}"`);
    members.splice(random.below(members.length + 1), 0, `"id":"${id}"`);
    return `{${members.join(random.pick([',', ', ']))}}`;
  });
}

/** The insert body of some lines. */
function bodyOf(lines: readonly string[]): string {
  const entities = lines.map((line) => {
    const { id, ...rest } = JSON.parse(line) as { id: string };
    return `${JSON.stringify(id)}:${JSON.stringify(rest)}`;
  });
  return `{${entities.join(',')}}`;
}

async function begin(dir: string, shards: number): Promise<{ server: ServerProcess; client: JsonClient }> {
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', String(shards)] });
  const client = new JsonClient(await server.serving, server.keys().master);
  return { server, client };
}

async function look(client: JsonClient): Promise<Pick<StreamedStore, 'rows' | 'eventCount'>> {
  const sql = async (text: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/sql' };
    const { status, body } = await client.request({ method: 'POST', path: '/v1/sql', text, headers });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body as { result: unknown }).result;
  };
  const rows = JSON.stringify(
    await sql('SELECT [entity-id], n, country FROM [default] ORDER BY [entity-id]'),
  );
  const [counted] = (await sql('SELECT COUNT([visit.value]) AS events FROM [default]')) as {
    events: number;
  }[];
  return { rows, eventCount: counted.events };
}

async function makeColumns(client: JsonClient): Promise<void> {
  const { status } = await client.request({ method: 'POST', path: '/v1/column', body: COLUMNS });
  if (status !== 200) throw new Error(`columns: ${status}`);
}

/** The content of the store after plain inserts of the same lines, 1,000 at a time. */
export async function insertedPlainly(
  dir: string,
  shards: number,
  lines: readonly string[],
): Promise<StreamedStore> {
  const { server, client } = await begin(dir, shards);
  await makeColumns(client);
  for (let at = 0; at < lines.length; at += 1_000) {
    const text = bodyOf(lines.slice(at, at + 1_000));
    const { status, body } = await client.request({ method: 'POST', path: '/v1/insert', text });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  const found = await look(client);
  await server.end();
  return { ...found, kills: 0, parts: [] };
}

/** The content of the store after a stream of the lines, with a kill -9 during each of the first `kills` attempts. */
export async function streamed(
  dir: string,
  shards: number,
  lines: readonly string[],
  kills: number,
  random: Prng,
): Promise<StreamedStore> {
  const text = Buffer.from(lines.join('\n'));
  for (let attempt = 0; ; attempt++) {
    const { server, client } = await begin(dir, shards);
    if (attempt === 0) await makeColumns(client);
    const { httpPort: port } = await server.serving;
    const headers = { 'Idempotency-Key': 'the stream' };
    const stream = new LineClient({ port, key: server.keys().write, headers });
    if (attempt < kills) {
      // The rest of the body is not sent before the kill, so an answer of 200 cannot be complete.
      await send(stream, text.subarray(0, random.below(text.length)), random);
      await server.kill();
      const { status, whole } = await stream.answer;
      if (status === 200 && whole) throw new Error('a body that never ended was answered with 200');
      continue;
    }
    await send(stream, text, random);
    stream.end();
    const { status, text: answer, whole } = await stream.answer;
    if (status !== 200 || !whole) throw new Error(`the answer was cut: ${answer}\n${server.output}`);
    const found = await look(client);
    await server.end();
    return { ...found, kills, parts: partsIn(answer) };
  }
}

/** Sends pieces of random lengths; stops early when the connection ends. */
async function send(stream: LineClient, text: Uint8Array, random: Prng): Promise<void> {
  let isOver = false;
  void stream.answer.then(() => {
    isOver = true;
  });
  for (let at = 0; at < text.length && !isOver; ) {
    const end = at + random.between(1, 60_000);
    await Promise.race([stream.write(text.subarray(at, end)), stream.answer]);
    at = end;
  }
}
