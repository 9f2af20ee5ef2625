/** Creates the codes for a type of values. */
import { invariant } from '../../../base/index.js';
import type { SqlType, Vector, WireVector } from '../../../vector/index.js';
import { vectorKindOf } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { type Coded, type ValueCodes, validOf } from './group-codes.js';
import { NumberCodes } from './group-doubles.js';
import { TextCodes } from './group-texts.js';

/** Throws 9006. */
export function valueCodes(type: SqlType, memory: QueryRun): ValueCodes {
  switch (vectorKindOf(type)) {
    case 'boolean':
      return new BooleanCodes();
    case 'text':
      return new TextCodes(memory);
    case 'exact':
      return new NumberCodes('exact', memory);
    case 'float':
      return new NumberCodes('float', memory);
  }
}

/** Code 1 is false, 2 is true. */
class BooleanCodes implements ValueCodes {
  readonly bound = 3;

  code(vector: Vector, out: Uint32Array): Coded {
    invariant(vector.kind === 'boolean', 'a boolean expression returns booleans');
    const { bits, valid, count } = vector;
    if (valid === null) {
      out.set(bits.subarray(0, count));
      return { codes: out, shift: 1 };
    }
    for (let row = 0; row < count; row++) out[row] = valid[row] === 0 ? 0 : bits[row] + 1;
    return { codes: out, shift: 0 };
  }

  values(codes: Uint32Array, run: QueryRun): WireVector {
    const count = codes.length;
    run.reserve(count * 2);
    const bits = Uint8Array.from(codes, (code) => code >> 1);
    return { kind: 'boolean', count, valid: validOf(codes), bits };
  }
}
