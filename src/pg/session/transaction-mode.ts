/**
 * The modes of a transaction: READ ONLY refuses writes, and from REPEATABLE READ on, all SELECTs read one version of the data.
 * No old versions are stored. A SELECT whose tables changed since the version of the first one is therefore refused, with the
 * code with which PostgreSQL refuses writes of such transactions, so that clients try again.
 */
import type { EngineApi, QueryFacts } from '../../engine/index.js';
import { dimensionsOf, type ReadPlan } from '../../ir/index.js';
import type { Token } from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';

type Records = Pick<EngineApi['records'], 'changedLsn'>;

/** The settings that [SET] TRANSACTION modes sets, with their values. Throws 42601. */
export function transactionModes(
  words: readonly Token[],
): readonly (readonly [setting: string, value: string])[] {
  const text = words.map((word) => word.upper || word.text).join(' ');
  const modes = text.split(/ (?:, )?(?=ISOLATION|READ (?:ONLY|WRITE)|(?:NOT )?DEFERRABLE)/);
  return modes.flatMap((mode): readonly (readonly [string, string])[] => {
    const level = /^ISOLATION LEVEL (SERIALIZABLE|REPEATABLE READ|READ (?:UN)?COMMITTED)$/.exec(mode)?.[1];
    if (level !== undefined) return [['transaction_isolation', level.toLowerCase()] as const];
    if (mode === 'READ ONLY' || mode === 'READ WRITE')
      return [['transaction_read_only', mode === 'READ ONLY' ? 'on' : 'off'] as const];
    if (mode === '' || /^(NOT )?DEFERRABLE$/.test(mode)) return [];
    throw new ProtocolError('42601', `${JSON.stringify(mode)} is not a mode of a transaction`);
  });
}

const CHANGED =
  'could not serialize access: tables of this query changed since the first query of the transaction; try again';

/** The version that the SELECTs of a transaction read. */
export class TransactionVersion {
  #lsn: number | null = null;
  /** Resolves when the first SELECT has ended, and its version is known. */
  #first: Promise<void> | null = null;

  end(): void {
    this.#lsn = null;
    this.#first = null;
  }

  /** Resolves when the version of the transaction is known, or before its first SELECT. */
  async known(): Promise<void> {
    await this.#first;
  }

  /** To be called after a read beside the SELECTs. Throws 40001 if it may have read another version. */
  check(plan: ReadPlan, records: Records): void {
    if (this.#lsn !== null && records.changedLsn(dimensionsOf(plan)) > this.#lsn) {
      throw new ProtocolError('40001', CHANGED);
    }
  }

  /**
   * To be called before a SELECT. Throws 40001. `onEnd` is to be called at the end of the query, and `check`, which throws 40001,
   * after its last row.
   */
  begin(
    plan: ReadPlan,
    records: Records,
  ): { readonly onEnd: (facts: QueryFacts) => void; readonly check: () => void } {
    const dimensions = dimensionsOf(plan);
    if (dimensions.length === 0) return { onEnd: () => {}, check: () => {} };
    let isChanged = false;
    const check = (): void => {
      if (isChanged) throw new ProtocolError('40001', CHANGED);
    };
    if (this.#first === null) {
      let resolveFirst = (): void => {};
      this.#first = new Promise((resolve) => {
        resolveFirst = resolve;
      });
      const onEnd = ({ lsn }: QueryFacts): void => {
        this.#lsn = lsn;
        // It ended before it read, so the next SELECT is the first.
        if (lsn === null) this.#first = null;
        resolveFirst();
      };
      return { onEnd, check };
    }
    const lsn = this.#lsn;
    const changes = (): boolean => lsn !== null && records.changedLsn(dimensions) > lsn;
    isChanged = changes();
    check();
    const onEnd = (): void => {
      isChanged = changes();
    };
    return { onEnd, check };
  }
}
