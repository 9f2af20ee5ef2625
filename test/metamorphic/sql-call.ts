/** An entry of the tables of functions. */
import type { Prng } from '../../src/base/index.js';
import { forms, type Kind, type Piece, type PieceType, piece } from '../support/sql/sql-piece.js';

export interface Call {
  readonly gives: PieceType;
  readonly takes: readonly PieceType[];
  /** null: not of these arguments. */
  make(prng: Prng, args: readonly Piece[]): Piece | null;
}

/** A call of fixed forms; `lite` left out: SQLite has none. */
export function plain(
  gives: Kind,
  takes: readonly PieceType[],
  quarry: string,
  duck = quarry,
  lite: string | null = null,
): Call {
  return {
    gives: gives.type,
    takes,
    make(_prng, args) {
      const [of] = args;
      // What a text function gives has upper-case letters only where its argument has.
      const tame =
        gives.type === 'text'
          ? gives.tame && args.every((arg) => arg.type !== 'text' || arg.tame)
          : gives.tame;
      const digits = gives.digits === -1 ? of.digits : gives.digits;
      const scale = gives.scale === -1 ? of.scale : gives.scale;
      return piece({ ...gives, tame, digits, scale }, forms(quarry, duck, lite), args);
    },
  };
}

export function varied(gives: PieceType, takes: readonly PieceType[], make: Call['make']): Call {
  return { gives, takes, make };
}
