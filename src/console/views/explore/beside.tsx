/** The same question about a second segment, beside the answer to the first. */
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../parts/context.js';
import { ErrorBox } from '../../parts/controls.js';
import { Result, type Shown } from '../../parts/result.js';
import { useRequest } from '../../parts/use-request.js';
import { answerDraft } from '../../query/answer-draft.js';
import { besideOf, type Draft } from '../../query/draft.js';
import { requestOf } from '../../query/request.js';
import { dimensionOf } from '../../server/model.js';

export function Beside({ draft }: { readonly draft: Draft }) {
  const { client, model } = useConsole();
  const { requestState, run, stop } = useRequest<Shown>();
  const wanted = besideOf(draft);
  const outcome = requestOf(wanted, dimensionOf(model, wanted.dimension));
  useEffect(() => {
    if ('problems' in outcome) return;
    const { question } = outcome;
    run(async (signal) => ({
      ...(await answerDraft(client, wanted, question, signal)),
      requests: question.requests,
    }));
  }, [draft]);
  return (
    <section class="beside" aria-label={`Segment ${draft.beside}`}>
      <h2>Segment {draft.beside}</h2>
      {'problems' in outcome ? (
        <ErrorBox error={new Error(outcome.problems.map(({ text }) => text).join(' '))} />
      ) : (
        <Result requestState={requestState} onStop={stop} />
      )}
    </section>
  );
}
