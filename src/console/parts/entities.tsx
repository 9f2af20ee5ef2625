/** The entities behind a number of an answer: how many they are, and the first of them with their attributes. */
import { useEffect } from 'preact/hooks';
import { formatCount } from '../answer/format.js';
import { type Table, tablesOf } from '../answer/table.js';
import type { Behind } from '../query/behind.js';
import { newDraft } from '../query/draft.js';
import { isObject, type Json } from '../server/json.js';
import { attributeColumns, dimensionOf, ENTITY_ID } from '../server/model.js';
import { useConsole } from './context.js';
import { Busy, ErrorBox } from './controls.js';
import { Grid } from './grid.js';
import { SegmentForm } from './segment-form.js';
import { useRequest } from './use-request.js';

const ENTITIES_SHOWN = 100;
const COLUMNS_SHOWN = 9;

interface Found {
  readonly count: number;
  readonly table: Table;
}

export function Entities({ behind, onClose }: { readonly behind: Behind; readonly onClose: () => void }) {
  const { client, model, openDraft, openQuery } = useConsole();
  const { title, query } = behind;
  const dimension = dimensionOf(model, behind.dimension ?? model.dimensions[0]?.name ?? '');
  const named = behind.dimension === undefined ? {} : { dimension: behind.dimension };
  const attributes = attributeColumns(dimension);
  const columns = [ENTITY_ID, ...attributes.slice(0, COLUMNS_SHOWN).map(({ name }) => name)];
  const rowsBody = JSON.stringify({ ...named, query, columns, limit: ENTITIES_SHOWN });
  const { requestState, run } = useRequest<Found>();
  useEffect(() => {
    run(async (signal) => {
      const send = async (path: string, body: string): Promise<Json> =>
        (await client.request({ method: 'POST', path, body }, signal)).json;
      const counted = await send(
        '/v1/query/count/entity',
        JSON.stringify({ 'query-name': 'n', ...named, query }),
      );
      const table = tablesOf(await send('/v1/data_extraction/result', rowsBody))[0];
      const result = isObject(counted) && isObject(counted.result) ? counted.result.n : 0;
      return { count: Number(result), table };
    });
  }, [rowsBody]);
  const openEntity = (id: string): void =>
    openDraft({ ...newDraft(dimension), show: 'entity', entity: id }, null);
  return (
    <section class="panel behind" aria-label={`Entities ${title}`}>
      <header class="row between">
        <h3>
          {requestState.state === 'done' && `${formatCount(requestState.value.count)} `}
          {dimension?.name} {title}
        </h3>
        <div class="row">
          <button
            type="button"
            class="quiet"
            onClick={() => openQuery({ path: '/v1/data_extraction/result', body: rowsBody })}
          >
            Edit as JSON
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Close
          </button>
        </div>
      </header>
      {dimension !== undefined && <SegmentForm dimension={dimension.name} query={query} />}
      {requestState.state === 'busy' && <Busy text="Reading the entities…" />}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'done' && requestState.value.table !== undefined && (
        <Grid table={requestState.value.table} onEntity={openEntity} />
      )}
    </section>
  );
}
