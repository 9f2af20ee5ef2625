/** The current time of a statement. Reading it makes a plan that cannot be reused later. */
import { readTime } from '../../../base/index.js';
import type { Expression } from '../../../ir/index.js';
import { SECONDS_PER_DAY } from '../../../schema/index.js';
import { constantOf, DATE, DATETIME } from '../expressions/build.js';
import type { CallSite } from './function.js';

const secondsNow = ({ scope }: CallSite): number => Math.floor(readTime(scope.nowMs) / 1_000);

export const now = (site: CallSite): Expression => constantOf(DATETIME, BigInt(secondsNow(site)));

export const today = (site: CallSite): Expression =>
  constantOf(DATE, BigInt(Math.floor(secondsNow(site) / SECONDS_PER_DAY)));
