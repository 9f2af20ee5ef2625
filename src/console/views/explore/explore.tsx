/** The view for questions by form: the builder, the answer, and the entities behind a number of the answer. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Chart } from '../../answer/chart.js';
import type { Tile } from '../../board/board.js';
import { AddToBoard } from '../../parts/add-to-board.js';
import { useConsole } from '../../parts/context.js';
import { Empty } from '../../parts/controls.js';
import { Entities } from '../../parts/entities.js';
import { Result, type Shown } from '../../parts/result.js';
import { SaveForm } from '../../parts/save.js';
import { useRequest } from '../../parts/use-request.js';
import { answerDraft } from '../../query/answer-draft.js';
import { type Behind, behindOf, isPickable, type Pick } from '../../query/behind.js';
import { type Draft, newDraft, withWindow } from '../../query/draft.js';
import type { OnChange } from '../../query/fields.js';
import { type Question, requestOf } from '../../query/request.js';
import { draftOfShare, plainDraft, shareText } from '../../query/share.js';
import { sqlOfAll } from '../../query/sql-text.js';
import { titleOf } from '../../query/words.js';
import { type Dimension, dimensionOf } from '../../server/model.js';
import { Beside } from './beside.js';
import { Builder } from './builder.js';
import { windowOfEvents } from './event-window.js';

/** A draft from another view, which is sent at once. */
export interface Opened {
  readonly draft: Draft;
  /** Event column whose dates must be loaded first; null = none. */
  readonly windowOf: string | null;
}

interface ExploreProps {
  readonly opened: Opened | null;
  /** The question in the page's address; empty = none. */
  readonly address: string;
}

const ADDRESS = '#explore';

/** The question that was sent, and its text in the address. */
interface Sent {
  readonly question: Question;
  readonly share: string;
  readonly tile: Tile;
  readonly draft: Draft;
}

export function Explore({ opened, address }: ExploreProps) {
  const { model, client, openQuery } = useConsole();
  const [draft, setDraft] = useState<Draft>(() => newDraft(firstDimension(model.dimensions)));
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [sent, setSent] = useState<Sent | null>(null);
  const [behind, setBehind] = useState<Behind | null>(null);
  const { requestState, run, stop, forget } = useRequest<Shown>();
  const result = useRef<HTMLDivElement>(null);
  const latest = useRef(draft);
  latest.current = draft;

  const change: OnChange<Draft> = (next) => {
    setDraft(next);
    setProblems([]);
  };
  const submit = (wanted: Draft): void => {
    const outcome = requestOf(wanted, dimensionOf(model, wanted.dimension));
    if ('problems' in outcome) {
      setProblems(outcome.problems.map(({ text }) => text));
      return;
    }
    const { question } = outcome;
    const share = shareText(wanted);
    setProblems([]);
    setBehind(null);
    setSent({
      question,
      share,
      draft: wanted,
      tile: { title: titleOf(wanted), question: plainDraft(wanted) },
    });
    showAddress(`${ADDRESS}/${share}`);
    run(async (signal) => ({
      ...(await answerDraft(client, wanted, question, signal)),
      requests: question.requests,
      ...(wanted.show === 'rows' ? { first: 'table' as const } : {}),
    }));
    result.current?.scrollIntoView({ block: 'nearest' });
  };
  const open = (wanted: Draft): void => {
    setDraft(wanted);
    setSent(null);
    setBehind(null);
    forget();
  };

  // The opened draft is sent once, unless the user changes it before its dates are loaded. It is set before the user can act.
  useLayoutEffect(() => {
    if (opened === null) return;
    const { draft, windowOf } = opened;
    open(draft);
    if (windowOf === null) {
      submit(draft);
      return;
    }
    let isOpen = true;
    const isWanted = (): boolean => isOpen && latest.current === draft;
    windowOfEvents(client, draft.dimension, windowOf).then(
      (window) => {
        if (!isWanted()) return;
        const whole = withWindow(draft, window);
        setDraft(whole);
        submit(whole);
      },
      () => {
        // Without dates, the form shows what is missing.
        if (isWanted()) submit(draft);
      },
    );
    return () => {
      isOpen = false;
    };
  }, [opened]);

  // A question in the address is sent when the page is loaded with it, and when the user goes back to it.
  useLayoutEffect(() => {
    if (address === '' || address === sent?.share) return;
    const wanted = draftOfShare(address, model);
    if (wanted === null) {
      setProblems(['The address of this page has no question about this database.']);
      return;
    }
    open(wanted);
    submit(wanted);
  }, [address]);

  const pickerOf = (chart: Chart) => {
    const request = sent?.question.requests[0];
    if (request === undefined || !isPickable(request.path, chart)) return undefined;
    return (picked: Pick): void => setBehind(behindOf(request, chart, picked));
  };
  const sql = sent === null ? null : sqlOfAll(sent.question.requests, model);
  const hasBeside = sent !== null && sent.draft.beside !== '' && sent.draft.show !== 'entity';
  const isStale = sent !== null && sent.share !== shareText(draft);
  return (
    <>
      <header class="view-head">
        <h1>Explore</h1>
      </header>
      <div class="explore">
        <Builder
          model={model}
          draft={draft}
          problems={problems}
          onChange={change}
          onSubmit={() => submit(draft)}
        />
        <div ref={result} class={`answer ${isStale ? 'stale' : ''}`}>
          {requestState.state === 'idle' && (
            <Empty title="The answer appears here">
              <p>Choose a dimension and what to show, then press Ask.</p>
            </Empty>
          )}
          {isStale && requestState.state !== 'idle' && (
            <p class="note row between" role="status">
              The question has changed since this answer.
              <button type="button" onClick={() => submit(draft)}>
                Ask again
              </button>
            </p>
          )}
          <div class={hasBeside ? 'pair-of-answers' : ''}>
            <Result requestState={requestState} onStop={stop} pickerOf={pickerOf} />
            {hasBeside && <Beside draft={sent.draft} />}
          </div>
          {behind !== null && <Entities behind={behind} onClose={() => setBehind(null)} />}
          {sent !== null && requestState.state === 'done' && (
            <div class="row wrap after">
              <button type="button" class="quiet" onClick={() => openQuery(sent.question.requests[0])}>
                Edit as JSON
              </button>
              {sql !== null && (
                <button type="button" class="quiet" onClick={() => openQuery({ path: '/v1/sql', body: sql })}>
                  Edit as SQL
                </button>
              )}
              <SaveForm key={sent.share} requests={sent.question.requests} />
              <AddToBoard key={`tile ${sent.share}`} tile={sent.tile} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** Shows an address without loading the page; the first question takes the place of the empty view in the history. */
function showAddress(hash: string): void {
  if (window.location.hash === hash) return;
  if (window.location.hash === ADDRESS) window.history.replaceState(null, '', hash);
  else window.history.pushState(null, '', hash);
}

/** The dimension with the most columns. */
const firstDimension = (dimensions: readonly Dimension[]): Dimension | undefined =>
  [...dimensions].sort((a, b) => b.columns.length - a.columns.length)[0];
