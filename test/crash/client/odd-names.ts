/**
 * Names that have a meaning in JavaScript, in every position where a client may use a name. `@` stands for the name; the
 * answers must equal those for a meaningless name, except for the name itself.
 */
import { Prng } from '../../../src/base/index.js';
import { InProcessServer } from '../../fuzz/in-process-server.js';
import { faultyDisk } from '../../support/faulty-disk.js';

/** Each name with a meaningless one of the same letter case and sort order. */
export const NAME_TWINS: readonly (readonly [name: string, twin: string])[] = [
  ['__proto__', '__prxto__'],
  ['constructor', 'constrxctor'],
  ['toString', 'taString'],
  ['tostring', 'tastring'],
  ['hasOwnProperty', 'hasOwnPropertx'],
  ['valueof', 'valuexf'],
  ['__defineGetter__', '__defineGxtter__'],
];

type Step = readonly [who: 'master' | 'team', line: string, body?: string];

const q = (query: string, more = ''): string => `{"query-name":"q","query":${query}${more}}`;
const YEAR = '["2020-01-01","2020-12-31"]';

const MODELLING: readonly Step[] = [
  ['master', 'POST /v1/dimension', '{"name":"@","api-name":"@"}'],
  ['master', 'POST /v1/dimension', '{"name":"d","api-name":"d","@":1}'],
  ['master', 'POST /v1/column', '[{"name":"word","type":"string"},{"name":"n","type":"integer"}]'],
  [
    'master',
    'POST /v1/column',
    '[{"name":"seen","type":"string-event"},{"name":"paid","type":"integer-event"}]',
  ],
  ['master', 'POST /v1/column', '[{"name":"@","api-name":"@","type":"string","description":"@"}]'],
  ['master', 'POST /v1/column', '[{"name":"in-it","type":"string","dimension":"@"}]'],
  ['master', 'POST /v1/column', '[{"name":"x1","type":"@"}]'],
  ['master', 'POST /v1/column', '[{"name":"x2","type":"string","@":true}]'],
  ['master', 'POST /v1/column', '[{"name":"x3","type":"string","storage":"@"}]'],
  ['master', 'PUT /v1/column', '{"api-name":"@","name":"@ x","description":"@"}'],
  ['master', 'POST /v1/column/relation', '{"name":"@","columns":["seen","paid"]}'],
  ['master', 'POST /v1/column/relation', '{"name":"r","columns":["@"]}'],
  ['master', 'GET /v1/dimension'],
  ['master', 'GET /v1/column'],
  ['master', 'GET /v1/column/relation'],
];

const WRITING: readonly Step[] = [
  ['master', 'POST /v1/insert', '{"@":{"word":"@","n":1}}'],
  ['master', 'POST /v1/insert', '{"@":{"word":"@"},"other":{"word":"other"}}'],
  ['master', 'POST /v1/insert', '{"@":{"n":1},"@":{"n":2}}'],
  ['master', 'POST /v1/insert', '{"e1":{"@":"1"}}'],
  ['master', 'POST /v1/insert', '{"e1":{"@":"1"},"auto-create":["column"]}'],
  ['master', 'POST /v1/insert', '{"e1":{"@":"1"},"auto-create":["@"]}'],
  ['master', 'POST /v1/insert', '{"e2":{"dimension":"@","n":1},"auto-create":["dimension","column"]}'],
  ['master', 'POST /v1/insert', '{"e2":{"dimension":"@","@":1,"in-it":"@"}}'],
  [
    'master',
    'POST /v1/insert',
    '{"@":{"seen":[{"value":"@","date":"2020-02-02"}],"paid":[{"value":3,"date":"2020-02-02"}]}}',
  ],
  ['master', 'POST /v1/insert', '{"e3":{"seen":[{"value":"a","@":"b"}]}}'],
  ['master', 'POST /v1/update', '{"query":[{"word":{"equals":"@"}}],"set":{"n":5}}'],
  ['master', 'POST /v1/update', '{"query":[{"word":{"equals":"@"}}],"set":{"@":"5"}}'],
  ['master', 'POST /v1/update', '{"query":[{"@":{"equals":"@"}}],"set":{"n":5}}'],
  ['master', 'POST /v1/delete', '{"query":[{"word":{"@":"a"}}]}'],
  ['master', 'POST /v1/delete', '{"dimension":"@","query":[{"n":{"equals":77}}]}'],
];

const READS: readonly Step[] = [
  ['master', 'POST /v1/query/exists/entity', '{"ids":["@","nobody"]}'],
  ['master', 'POST /v1/query/exists/entity', '{"ids":["e2"],"dimension":"@"}'],
  ['master', 'POST /v1/query/count/entity', '{"query-name":"@","query":[{"word":{"equals":"@"}}]}'],
  [
    'master',
    'POST /v1/query/count/entity',
    '[{"query-name":"@","query":[{"n":{"gte":0}}]},{"query-name":"p","query":[{"n":{"gt":9}}]}]',
  ],
  ['master', 'POST /v1/query/count/entity', '[{"query-name":"@","query":[]},{"query-name":"@","query":[]}]'],
  ['master', 'POST /v1/query/count/entity', q('[{"@":{"equals":"1"}}]')],
  ['master', 'POST /v1/query/count/entity', q('[{"word":{"@":"a"}}]')],
  ['master', 'POST /v1/query/count/entity', q('[{"word":{"equals":"a"}},"@",{"word":{"equals":"a"}}]')],
  ['master', 'POST /v1/query/count/entity', q('[{"entity-id":{"equals":"@"}}]')],
  ['master', 'POST /v1/query/count/entity', q('[{"n":{"gt":1}}]', ',"@":1')],
  ['master', 'POST /v1/query/count/entity', q('[{"n":{"gt":1}}]', ',"dimension":"@"')],
  ['master', 'POST /v1/query/count/entity/total', '{"dimensions":["@"]}'],
  ['master', 'GET /v1/query/count/entity/total'],
  [
    'master',
    'POST /v1/query/count/event',
    `{"query-name":"@","query":[{"seen":{"equals":"@","between":${YEAR}}}],"interval":"months"}`,
  ],
  [
    'master',
    'POST /v1/query/count/event',
    `{"query-name":"x","query":[{"seen":{"equals":"@","between":${YEAR}}}],"interval":"@"}`,
  ],
  ['master', 'POST /v1/query/top_values', '{"@":{"word":5}}'],
  ['master', 'POST /v1/query/top_values', '{"@":{"word":5},"p":{"n":2},"@":{"word":1}}'],
  ['master', 'POST /v1/query/top_values', '{"t":{"@":5}}'],
  ['master', 'POST /v1/query/aggregation', '{"query":[{"word":5},{"n":"sum"}]}'],
  ['master', 'POST /v1/query/aggregation', `{"query":[{"seen":5,"between":${YEAR}}]}`],
  ['master', 'POST /v1/query/aggregation', '{"query":[{"@":5}]}'],
  ['master', 'POST /v1/query/aggregation', '{"query":[{"n":"@"}]}'],
  ['master', 'POST /v1/query/aggregation', '{"query":[{"entity-id":5}],"filter":[{"word":{"equals":"@"}}]}'],
  [
    'master',
    'POST /v1/data_extraction/result',
    '{"query":[{"entity-id":{"equals":"@"}}],"columns":["entity-id","word","n"],"limit":5}',
  ],
  [
    'master',
    'POST /v1/data_extraction/result',
    '{"query":[{"n":{"gte":0}}],"columns":["entity-id","@"],"limit":5}',
  ],
  [
    'master',
    'POST /v1/data_extraction/result',
    '{"query":[{"n":{"gte":0}}],"columns":["word"],"order":[{"@":"asc"}],"limit":5}',
  ],
  [
    'master',
    'POST /v1/data_extraction/score',
    '{"query":[{"entity-id":{"equals":"@"}}],"columns":["entity-id","word"],"limit":5}',
  ],
  ['master', 'POST /v1/sql', "SELECT [entity-id], word, n FROM [default] WHERE word = '@' ORDER BY 1"],
  ['master', 'POST /v1/sql', 'SELECT [@] FROM [default] ORDER BY 1'],
  ['master', 'POST /v1/sql', 'SELECT COUNT(*) AS [@] FROM [default]'],
  ['master', 'POST /v1/sql', 'SELECT n AS @, n AS [@] FROM [default] ORDER BY 1'],
  ['master', 'POST /v1/sql', 'SELECT COUNT(*) FROM [@]'],
  [
    'master',
    'POST /v1/sql',
    'SELECT [@].[n] FROM [@] JOIN [default] ON [@].[entity-id] = [default].[entity-id]',
  ],
  ['master', 'POST /v1/sql', 'SELECT @(n) FROM [default]'],
  ['master', 'POST /v1/sql', 'SELECT CAST(n AS @) FROM [default]'],
  ['master', 'POST /v1/sql', "SELECT DATEADD('@', 1, '2020-01-01') FROM [default]"],
  ['master', 'POST /v1/sql', 'SELECT a.n FROM [default] AS [@] ORDER BY [@].n'],
  ['master', 'POST /v1/sql', "INSERT INTO [default] ([entity-id], word) VALUES ('@', '@')"],
  ['master', 'POST /v1/sql', "INSERT INTO [default] ([entity-id], [@]) VALUES ('e9', '@')"],
  ['master', 'POST /v1/sql', "UPDATE [default] SET [@] = 'b' WHERE [entity-id] = '@'"],
];

const SAVING: readonly Step[] = [
  [
    'master',
    'POST /v1/query/saved',
    '{"name":"@","type":"count/entity","query":[{"word":{"equals":"@"}}],"cache-period":5}',
  ],
  ['master', 'POST /v1/query/saved', '{"name":"@","type":"count/entity","query":[{"word":{"equals":"@"}}]}'],
  ['master', 'POST /v1/query/saved', '{"name":"s","type":"@","query":[]}'],
  ['master', 'POST /v1/query/saved', '{"name":"t","type":"top_values","query":{"@":{"word":5}}}'],
  ['master', 'GET /v1/query/saved/@'],
  ['master', 'GET /v1/query/saved/t'],
  ['master', 'PUT /v1/query/saved/@', '{"type":"count/entity/total","query":["@"]}'],
  ['master', 'GET /v1/query/saved/@'],
  ['master', 'GET /v1/query/saved'],
];

const TEAM: readonly Step[] = [
  [
    'team',
    'POST /v1/database',
    '{"database":{"name":"@","type":"test","query-load":"normal","insertion-load":"high"}}',
  ],
  [
    'team',
    'POST /v1/database',
    '{"database":{"name":"b","type":"@","query-load":"@","insertion-load":"high"}}',
  ],
  [
    'team',
    'PUT /v1/database',
    '{"database":{"name":"@","description":"@","cloud_provider":"@","cloud_area":"@"}}',
  ],
  [
    'team',
    'POST /v1/database/custom_key',
    '{"database-name":"@","custom-database-key":{"key-name":"@","key-type":"read-only"}}',
  ],
  [
    'team',
    'POST /v1/database/custom_key',
    '{"database-name":"quarry","custom-database-key":{"key-name":"@","key-type":"write-read","columns-whitelist":{"@":["@"],"default":["word"]},"filter":{"@":{"n":{"gt":1}}}}}',
  ],
  [
    'team',
    'POST /v1/database/custom_key',
    '{"database-name":"quarry","custom-database-key":{"key-name":"k","key-type":"@"}}',
  ],
  [
    'team',
    'PUT /v1/database/custom_key',
    '{"database-name":"quarry","custom-database-key":{"key-name":"@","description":"@"}}',
  ],
  [
    'team',
    'POST /v1/permission_groups',
    '{"group-name":"@","allowed-databases":["@"],"labels":["@"],"week-days":["mon"]}',
  ],
  ['team', 'POST /v1/permission_groups', '{"group-name":"g","week-days":["@"]}'],
  [
    'team',
    'POST /v1/users',
    '{"email":"@@example.org","password":"long enough","first-name":"@","permission-group":"@"}',
  ],
  ['team', 'PUT /v1/users', '{"email":"@@example.org","permission-group":"@","@":1}'],
  ['team', 'POST /v1/session', '{"email":"@@example.org","password":"long enough","database-name":"@"}'],
  ['team', 'GET /v1/database/retrieve_all'],
  ['team', 'GET /v1/database/custom_key'],
];

const REMOVING: readonly Step[] = [
  ['master', 'DELETE /v1/query/saved/@'],
  ['master', 'DELETE /v1/query/saved/@'],
  ['master', 'DELETE /v1/column/relation', '{"name":"@","columns":["seen"]}'],
  ['master', 'DELETE /v1/column', '{"api-name":"@"}'],
  ['master', 'DELETE /v1/dimension', '{"api-name":"@"}'],
  ['master', 'POST /v1/delete', '{"query":[{"entity-id":{"equals":"@"}}]}'],
  [
    'team',
    'DELETE /v1/database/custom_key',
    '{"database-name":"quarry","custom-database-key":{"key-name":"@"}}',
  ],
  ['team', 'DELETE /v1/users', '{"email":"@@example.org"}'],
  ['team', 'DELETE /v1/permission_groups', '{"group-name":"@"}'],
  ['team', 'DELETE /v1/database', '{"database":{"name":"@"}}'],
  ['team', 'GET /v1/database/retrieve_all'],
  ['master', 'GET /v1/column'],
];

async function answersTo(server: InProcessServer, steps: readonly Step[], name: string): Promise<string[]> {
  const lines: string[] = [];
  for (const [who, line, body = ''] of steps) {
    const [method, path] = line.split(' ').map((part) => part.replaceAll('@', name));
    const bytes = Buffer.from(
      body.replaceAll('@@', `${name}\u0000`).replaceAll('@', name).replaceAll('\u0000', '@'),
    );
    const headers = { 'idempotency-key': `${name} ${lines.length}` };
    const answer = await server.request({ method, path, key: server.keys[who], body: bytes, headers });
    const text = answer?.body.toString('utf8').replace(/"took":[\d.]+/, '"took":0');
    lines.push(`${line} ${body} -> ${answer?.status} ${text}`);
  }
  return lines;
}

/** All answers to requests that contain `name`, before and after a restart; `faults` must be empty. */
export async function answersWith(
  name: string,
  seed: number,
): Promise<{ readonly lines: string[]; readonly faults: string[] }> {
  const disk = faultyDisk({ seed: new Prng(seed).u32() });
  const server = await InProcessServer.open(disk, seed, 2);
  const lines = await answersTo(server, [...MODELLING, ...WRITING, ...READS, ...SAVING, ...TEAM], name);
  const again = await InProcessServer.open(disk.afterKill(), seed, null);
  const later = await answersTo(again, [...READS, ...SAVING, ...REMOVING], name);
  const faults = [...server.faults, ...again.faults];
  await server.close();
  await again.close();
  return { lines: [...lines, ...later], faults };
}

/** The answers with one name replaced by another, in every letter case. */
export function renamed(lines: readonly string[], name: string, twin: string): string[] {
  return lines.map((line) => line.replaceAll(name, twin).replaceAll(name.toLowerCase(), twin.toLowerCase()));
}
