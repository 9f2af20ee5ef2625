/** The load process: reads a LoadJob as JSON on standard input, runs it, writes a LoadResult as one line of JSON. */
import { type BodySource, generatePeople, readBodies, repeatBody } from '../data/bodies.js';
import { People } from '../data/people.js';
import type { LoadBodies, LoadJob } from './job.js';
import { checkHolds, checkInsert, runLoad } from './load.js';

function sourceOf(bodies: LoadBodies): BodySource {
  switch (bodies.kind) {
    case 'file':
      return readBodies(bodies.file);
    case 'people':
      return generatePeople(new People(bodies.seed, bodies.shape), bodies.from, bodies.to);
    case 'repeat':
      return repeatBody(Buffer.from(bodies.body), bodies.times);
  }
}

let input = '';
for await (const part of process.stdin) input += part;
const job = JSON.parse(input) as LoadJob;
const check = job.bodies.kind === 'repeat' ? checkHolds(job.bodies.expected) : checkInsert;
const result = await runLoad(job.target, sourceOf(job.bodies), job.connections, check, job.perSecond);
process.stdout.write(`${JSON.stringify(result)}\n`);
