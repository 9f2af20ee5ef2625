/** Hostile bodies over HTTPS, several at a time, to a server process with threads and a disk. */
import { Agent, request } from 'node:https';
import fc from 'fast-check';
import { MODEL } from '../conformance/codes/codes-bodies.js';
import { JsonClient } from '../support/json-client.js';
import type { ServerProcess } from '../support/server-process.js';
import { judged, type RawAnswer } from './answers.js';
import { type HostileRequest, hostileArb, shown } from './bodies.js';

const IN_FLIGHT = 4;
const GOOD_EVERY = 20;
const STEADY_COUNT = 30;
const ALL = { 'query-name': 'good', dimension: 'steady-rows', query: ['not', { n: { lt: 0 } }] };

function post(
  port: number,
  key: string,
  { method, pathText, bytes, headers }: HostileRequest,
  agent: Agent,
): Promise<RawAnswer> {
  const all = { authorization: key, 'content-length': bytes.length, ...headers };
  const typed = bytes.length === 0 ? all : { 'content-type': 'application/json', ...all };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: pathText, method, agent, headers: typed };
    const sent = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const contentType = response.headers['content-type'] ?? '';
        resolve({ status: response.statusCode ?? 0, contentType, body: Buffer.concat(parts) });
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** The errors in the answers to `count` bodies and to the valid queries in between. */
export async function errorsOverWire(server: ServerProcess, count: number, seed: number): Promise<string[]> {
  const serving = await server.serving;
  const { team, master } = server.keys();
  const client = new JsonClient(serving, master);
  const agent = new Agent({ keepAlive: true, timeout: 5_000, rejectUnauthorized: false });
  const faults: string[] = [];
  for (const request of MODEL) await client.succeed(request);
  const rows = Array.from({ length: STEADY_COUNT }, (_, n) => [`s${n}`, { dimension: 'steady-rows', n }]);
  const steady = { ...Object.fromEntries(rows), 'auto-create': ['dimension', 'column'] };
  await client.succeed({ path: '/v1/insert', body: steady });
  const requests = fc.sample(hostileArb, { seed, numRuns: count });
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let at = next++; at < requests.length; at = next++) {
      const request = requests[at];
      const key = request.who === 'team' ? team : master;
      const answer = await post(serving.httpsPort, key, request, agent).catch(String);
      const fault = typeof answer === 'string' ? answer : judged(answer).fault;
      if (fault !== null) faults.push(`${shown(request)}: ${fault}`);
      if (at % GOOD_EVERY !== 0) continue;
      const { status, body } = await client.request({ path: '/v1/query/count/entity', body: ALL });
      const text = JSON.stringify(body);
      if (status !== 200 || !text.includes(`{"good":${STEADY_COUNT}}`)) faults.push(`a good query: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendNext));
  agent.destroy();
  client.close();
  return faults;
}
