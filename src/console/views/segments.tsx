/** The segments of the database, which can be asked about and deleted. */
import { useConsole } from '../parts/context.js';
import { ErrorBox } from '../parts/controls.js';
import { useRequest } from '../parts/use-request.js';
import { newDraft, segmentCondition } from '../query/draft.js';

export function Segments() {
  const { client, model, openDraft, reloadModel } = useConsole();
  const { requestState, run } = useRequest<null>();
  const segments = model.dimensions.flatMap((dimension) =>
    dimension.segments.map((name) => ({ name, dimension })),
  );
  const remove = (name: string): void => {
    if (!window.confirm(`Delete the segment “${name}”? Other clients may use it.`)) return;
    run(async (signal) => {
      await client.request({ method: 'DELETE', path: `/v1/segment/${encodeURIComponent(name)}` }, signal);
      reloadModel();
      return null;
    });
  };
  return (
    <section aria-labelledby="segments">
      <h2 id="segments">Segments</h2>
      {segments.length === 0 && (
        <p class="hint">
          None yet. A segment is a set of entities under a name: click a number of an answer under Explore,
          then “Make a segment of them”.
        </p>
      )}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      <ul class="cards">
        {segments.map(({ name, dimension }) => (
          <li key={name} class="panel row between">
            <div>
              <h3>{name}</h3>
              <p class="facts">segment of {dimension.name}</p>
            </div>
            <div class="row">
              <button
                type="button"
                aria-label={`Ask about ${name}`}
                onClick={() =>
                  openDraft({ ...newDraft(dimension), conditions: [segmentCondition(1, name)] }, null)
                }
              >
                Ask
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Delete the segment ${name}`}
                onClick={() => remove(name)}
              >
                Delete
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
