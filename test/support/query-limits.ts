/** Limits of queries in tests whose memory is not shared with others. */
import type { QueryLimits } from '../../src/engine/query/running-query.js';

export const queryLimits = (timeoutMs: number, bytesMax: number): QueryLimits => ({
  timeoutMs,
  smallBytes: () => bytesMax,
  enterBytes: () => Promise.resolve(bytesMax),
  leaveBytes: () => {},
  collectGarbage: () => {},
  lsnSent: () => 0,
});
