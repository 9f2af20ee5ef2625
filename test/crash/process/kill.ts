/** Rounds of kill -9 by command (rounds.ts), and their summary. */
import { isClean, runRounds } from '../history/rounds.js';
import type { TortureOptions } from '../history/torture-options.js';

/** `npm run torture -- --what kill`. */
export async function kill({ dir, rounds, seed }: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  const summary = await runRounds({
    dir,
    rounds,
    seed,
    requestsMax: 400,
    report: (line) => console.log(line),
  });
  for (const text of summary.texts) console.log(text);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${summary.rounds} rounds, ${summary.killsWhileStarting} kills more while starting, ` +
      `${summary.checkpointRequests} checkpoints requested, ${summary.checks} counts compared, ${seconds} s`,
  );
  console.log(
    `${summary.acknowledged} requests acknowledged (${summary.entitiesAcknowledged} entities), ` +
      `${summary.refused} refused, ${summary.unanswered} without an answer ` +
      `(${summary.unansweredApplied} kept whole, ${summary.unansweredGone} gone)`,
  );
  console.log([...summary.acknowledgedOf].map(([kind, count]) => `${kind} ${count}`).join(', '));
  console.log(`${summary.repeats} repeats under an Idempotency-Key answered as the first`);
  console.log(
    `${summary.lost} lost, ${summary.half} half, ${summary.doubled} doubled, ${summary.wrong} wrong, ${summary.unsound} unsound`,
  );
  return isClean(summary);
}
