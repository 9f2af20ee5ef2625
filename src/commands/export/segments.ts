/**
 * The segments of a database as lines of JSON, which `quarry import --segments` reads back: `{"name", "dimension", "query"}`, or
 * `{"name", "dimension", "ids"}` with further lines of the same form if there are many IDs. Queries are written as they are stored.
 */
import { NodeFileSystem } from '../../io/index.js';
import type { Output } from '../progress.js';
import { linesOf, membersOf } from './json-line.js';
import type { SqlClient } from './sql-client.js';
import { writeFile, writeOutput } from './target.js';

/** IDs of one line, and the bytes after which it ends: less than a request may have. */
const LINE_IDS_MAX = 50_000;
const LINE_BYTES_MAX = 2 ** 21;

/** The members of a segment, as JSON texts. */
interface SegmentTexts {
  readonly name: string;
  readonly dimension: string;
  /** "null" = the segment is static. */
  readonly query: string;
  readonly 'id-count': string;
}

/** Writes the segments to the file (null = standard output); `note` gets what the lines leave out. Returns their number. */
export async function exportSegments(
  client: SqlClient,
  { file, force, stdout }: { readonly file: string | null; readonly force: boolean; readonly stdout: Output },
  note: (text: string) => void,
): Promise<number> {
  const { segments } = JSON.parse(await textOf(client, '/v1/segment')) as { segments: { name: string }[] };
  const lines = linesOfSegments(client, segments, note);
  if (file === null) await writeOutput(stdout, lines);
  else await writeFile(new NodeFileSystem(), file, lines, force);
  return segments.length;
}

async function* linesOfSegments(
  client: SqlClient,
  segments: readonly { readonly name: string }[],
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  for (const { name } of segments) {
    const members = membersOf(await textOf(client, `/v1/segment/${encodeURIComponent(name)}`));
    const texts = Object.fromEntries(
      members.map(({ name: key, json }) => [key, json]),
    ) as unknown as SegmentTexts;
    if (texts.query === 'null') yield* linesOfIds(client, texts, note);
    else yield lineOf(texts, `"query":${texts.query}`);
  }
}

/** The IDs that are entities: the server tells no others. */
async function* linesOfIds(
  client: SqlClient,
  texts: SegmentTexts,
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const [name, dimension] = [JSON.parse(texts.name), JSON.parse(texts.dimension)] as [string, string];
  const statement = `SELECT [entity-id] FROM [${dimension}] WHERE [entity-id] IN SEGMENT '${name}'`;
  let [ids, bytes, written]: [string[], number, number] = [[], 0, 0];
  for await (const line of linesOf(client.rows(statement, 'ndjson'))) {
    if (line === '') continue;
    const [{ json }] = membersOf(line);
    ids.push(json);
    bytes += Buffer.byteLength(json) + 1;
    if (ids.length < LINE_IDS_MAX && bytes < LINE_BYTES_MAX) continue;
    yield lineOf(texts, `"ids":[${ids}]`);
    written += ids.length;
    [ids, bytes] = [[], 0];
  }
  if (ids.length > 0 || written === 0) yield lineOf(texts, `"ids":[${ids}]`);
  const missing = Number(texts['id-count']) - written - ids.length;
  if (texts['id-count'] !== 'null' && missing > 0) {
    note(`segment ${texts.name}: ${missing} IDs of no entity are not exported`);
  }
}

const lineOf = ({ name, dimension }: SegmentTexts, definition: string): Uint8Array =>
  Buffer.from(`{"name":${name},"dimension":${dimension},${definition}}\n`);

const textOf = ({ client, access, signal }: SqlClient, path: string): Promise<string> =>
  client.text({ method: 'GET', path, key: access.key, signal });
