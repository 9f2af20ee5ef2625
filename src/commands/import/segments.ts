/**
 * `quarry import --segments FILE`: makes the segments that `quarry export --segments` wrote. No segment is changed: if one of the
 * names exists, nothing is made.
 */
import { flagTextOf, readArguments } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { membersOf } from '../export/json-line.js';
import { REMOTE_FLAGS, type RemoteAccess, RemoteClient, RemoteError, readRemote } from '../remote/index.js';

const FLAGS = { ...REMOTE_FLAGS, segments: { type: 'string' } } as const;
/** Code of a query that names a segment which does not exist. */
const UNKNOWN_SEGMENT = 9101;

interface SegmentLine {
  readonly name: string;
  readonly text: string;
  /** The member `ids` as JSON text; null = the segment has a query. */
  readonly ids: string | null;
}

export async function importSegments(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return context.usage(read.wrong);
  const file = flagTextOf(read.flags, 'segments');
  if (file === undefined || read.positionals.length > 0) {
    return context.usage(
      'import --segments takes one file that quarry export --segments wrote, and no other options',
    );
  }
  const access = await readRemote(read.flags, 'master-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const lines = segmentLines(context.readText(file), file);
  const client = new RemoteClient(access, 1);
  try {
    const made = await makeSegments(lines, new SegmentSender(client, access, context.interrupted()));
    context.note(`${made} segments were made`);
  } finally {
    client.close();
  }
  return EXIT.done;
}

const segmentLines = (text: string, file: string): SegmentLine[] =>
  text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [segmentLine(line, `${file}: line ${index + 1}`)]));

function segmentLine(text: string, where: string): SegmentLine {
  let members: ReturnType<typeof membersOf>;
  try {
    JSON.parse(text);
    members = membersOf(text.trim());
  } catch {
    throw new Error(`${where} is not a JSON object`);
  }
  const jsonOf = (name: string): string | null => members.find((one) => one.name === name)?.json ?? null;
  const name: unknown = JSON.parse(jsonOf('name') ?? 'null');
  if (typeof name !== 'string' || (jsonOf('ids') === null) === (jsonOf('query') === null)) {
    throw new Error(`${where} is no segment: {"name", "dimension", "query"} or {"name", "dimension", "ids"}`);
  }
  return { name, text, ids: jsonOf('ids') };
}

class SegmentSender {
  readonly #client: RemoteClient;
  readonly #access: RemoteAccess;
  readonly #signal: AbortSignal;

  constructor(client: RemoteClient, access: RemoteAccess, signal: AbortSignal) {
    this.#client = client;
    this.#access = access;
    this.#signal = signal;
  }

  async names(): Promise<ReadonlySet<string>> {
    const answer = await this.#client.json({ method: 'GET', path: '/v1/segment', ...this.#common });
    return new Set((answer as { segments: { name: string }[] }).segments.map(({ name }) => name));
  }

  async post(path: string, body: string): Promise<void> {
    await this.#client.json({ method: 'POST', path, body, ...this.#common });
  }

  get #common() {
    return { key: this.#access.key, signal: this.#signal };
  }
}

/** The number of segments made. Those with IDs come first, those with queries after the segments that they name. */
async function makeSegments(lines: readonly SegmentLine[], sender: SegmentSender): Promise<number> {
  const names = await sender.names();
  const known = [...new Set(lines.map(({ name }) => name))].filter((name) => names.has(name));
  if (known.length > 0)
    throw new Error(`these segments exist already, and none was made: ${known.join(', ')}`);
  const made = new Set<string>();
  for (const { name, text, ids } of lines) {
    if (ids === null) continue;
    if (made.has(name)) await sender.post(`/v1/segment/${encodeURIComponent(name)}/ids`, `{"ids":${ids}}`);
    else await sender.post('/v1/segment', text);
    made.add(name);
  }
  let open = lines.filter(({ ids }) => ids === null);
  while (open.length > 0) {
    const refused: { readonly line: SegmentLine; readonly error: RemoteError }[] = [];
    for (const line of open) {
      try {
        await sender.post('/v1/segment', line.text);
        made.add(line.name);
      } catch (error) {
        if (!(error instanceof RemoteError) || error.code !== UNKNOWN_SEGMENT) throw error;
        refused.push({ line, error });
      }
    }
    if (refused.length === open.length) {
      const [{ line, error }] = refused;
      throw new Error(`segment ${JSON.stringify(line.name)}: ${error.message}`, { cause: error });
    }
    open = refused.map(({ line }) => line);
  }
  return made.size;
}
