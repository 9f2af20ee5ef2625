/** Entries of the tables of functions. */
import type { Prng } from '../../src/base/index.js';
import { forms, type Kind, type Piece, type PieceType, piece } from '../support/sql/sql-piece.js';

export interface Call {
  readonly type: PieceType;
  readonly parameters: readonly PieceType[];
  /** null = the function does not accept these arguments. */
  make(prng: Prng, args: readonly Piece[]): Piece | null;
}

/** A call with fixed forms; `lite` null = SQLite has no such function. */
export function plain(
  result: Kind,
  parameters: readonly PieceType[],
  quarry: string,
  duck = quarry,
  lite: string | null = null,
): Call {
  return {
    type: result.type,
    parameters,
    make(_prng, args) {
      const [of] = args;
      // The result of a text function has upper-case letters only if its argument has.
      const tame =
        result.type === 'text'
          ? result.tame && args.every((arg) => arg.type !== 'text' || arg.tame)
          : result.tame;
      const digits = result.digits === -1 ? of.digits : result.digits;
      const scale = result.scale === -1 ? of.scale : result.scale;
      return piece({ ...result, tame, digits, scale }, forms(quarry, duck, lite), args);
    },
  };
}

export function varied(type: PieceType, parameters: readonly PieceType[], make: Call['make']): Call {
  return { type, parameters, make };
}
