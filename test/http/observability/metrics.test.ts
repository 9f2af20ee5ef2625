/** Compares /metrics of a real server with docs/operations/metrics.md and with the queries of the dashboard. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { ROOT } from '../../tidy/source.js';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

interface ReadMetrics {
  /** The types of `# TYPE` lines, by name. */
  readonly types: ReadonlyMap<string, string>;
  /** The label names of every metric. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

function readMetrics(text: string): ReadMetrics {
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) types.set(name, type);
  for (const [, name, inside = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = labels.get(name) ?? new Set();
    for (const [, label] of inside.matchAll(/(\w+)="/g)) own.add(label);
    labels.set(name, own);
  }
  return { types, labels };
}

/** /metrics of a server after inserts and queries. */
async function metricsOfServer(): Promise<ReadMetrics> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-metrics-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const server = new ServerProcess({ dir, flags: ['--workers', '1', '--pg-port', '0'] });
  t.teardown(() => server.kill());
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  await client.succeed({ path: '/v1/insert', body: { e1: { n: 1 }, 'auto-create': ['column'] } });
  await client.succeed({
    path: '/v1/query/count/entity',
    body: { 'query-name': 'q', query: [{ n: { gt: 0 } }] },
  });
  const { httpPort } = await server.serving;
  return readMetrics(await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text());
}

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const dashboard = JSON.parse(read('deploy/grafana.json')) as Dashboard;

t.test('metrics of a server', async (t) => {
  const { types, labels } = await metricsOfServer();
  const own = [...types.keys()].filter((name) => name.startsWith('quarry_')).sort();
  t.ok(own.length > 30 && types.has('process_resident_memory_bytes'), `${types.size} metrics`);

  t.test('the table of the documentation describes exactly the metrics of the server', async (t) => {
    const [, marked = ''] = read('docs/operations/metrics.md').split('<!-- metrics -->\n');
    const table = marked.split('<!-- /metrics -->')[0];
    const rows = table.split('\n').filter((row) => row.startsWith('| `'));
    const texts = rows.map((row) => row.split('|').map((text) => text.trim()));
    t.strictSame(texts.map(([, name]) => name.replaceAll('`', '')).sort(), own);
    for (const [, name, meaning, action] of texts) t.ok(meaning !== '' && action !== '', name);
  });

  t.test('the dashboard queries only existing metrics and labels', async (t) => {
    const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, expr })),
    );
    t.ok(expressions.length > 25, `${expressions.length} expressions`);
    for (const { title, expr } of expressions) {
      const names = [...expr.matchAll(/\b(?:quarry|process|nodejs)_\w+/g)].map(([name]) => name);
      t.ok(names.length > 0, title);
      for (const name of names) t.ok(labels.has(name), `${title}: ${name}`);
      for (const [, by] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
        for (const label of by.split(',').map((one) => one.trim())) {
          t.ok(
            names.every((name) => labels.get(name)?.has(label)),
            `${title}: ${label}`,
          );
        }
      }
    }
  });

  t.test('every counter ends in _total, and no label has a value that a client chose', async (t) => {
    for (const name of own) t.equal(name.endsWith('_total'), types.get(name) === 'counter', name);
    const known = ['endpoint', 'database', 'status', 'le', 'limit', 'kind', 'outcome'];
    const used = new Set(
      own.flatMap((name) => [name, `${name}_bucket`].flatMap((one) => [...(labels.get(one) ?? [])])),
    );
    t.strictSame([...used].sort(), [...known].sort());
  });
});

t.test('Grafana 10 can read the dashboard: the data source is selectable, and panels do not overlap', (t) => {
  const { panels, schemaVersion, templating } = dashboard;
  t.ok(schemaVersion >= 38);
  t.match(templating.list[0], { name: 'datasource', type: 'datasource' });
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, type, gridPos, datasource, targets = [] } of panels) {
    const { x, y, w, h } = gridPos;
    t.ok(x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        t.notOk(taken.has(`${column} ${line}`), `${title} at ${column}, ${line}`);
        taken.add(`${column} ${line}`);
      }
    }
    if (type === 'row') continue;
    for (const source of [datasource, ...targets.map((target) => target.datasource)]) {
      t.equal(source?.uid, `\${datasource}`, title);
    }
  }
  t.end();
});
