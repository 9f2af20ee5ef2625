/**
 * A catalog thread that returns the text of a query, or ends: `die` ends it at once, `poison` with the next query, `later` a
 * moment after the answer.
 */
import { parentPort } from 'node:worker_threads';
import type { CatalogReply, CatalogRequest } from '../../../src/pg/catalog/messages.js';

const port = parentPort;
const reply = (message: CatalogReply): void => port?.postMessage(message);
const done = (bytes: Uint8Array): void => reply({ is: 'done', bytes, memoryBytes: 0, readsRows: false });
let isPoisoned = false;

port?.on('message', (request: CatalogRequest) => {
  if (request.is === 'show') return done(new Uint8Array(0));
  const text = Buffer.from(request.messages).toString();
  if (text === 'die' || isPoisoned) process.exit(1);
  isPoisoned = text === 'poison';
  done(request.messages);
  if (text === 'later') setTimeout(() => process.exit(1), 1);
});
reply({ is: 'ready' });
