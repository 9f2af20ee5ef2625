/** Refused lines that the server keeps: how many of each reason, and another try to insert them. */
import { useEffect } from 'preact/hooks';
import { formatCount } from '../answer/format.js';
import { type Table, tablesOf } from '../answer/table.js';
import { useConsole } from '../parts/context.js';
import { Busy, ErrorBox } from '../parts/controls.js';
import { Grid } from '../parts/grid.js';
import { useRequest } from '../parts/use-request.js';
import type { Client } from '../server/client.js';
import { isObject } from '../server/json.js';

const SUFFIX = '-quarantine';
const SQL = '/v1/sql';

/** The quarantines of the database that have lines. */
export function Quarantines() {
  const { model } = useConsole();
  const found = model.dimensions.filter(({ name, entities }) => name.endsWith(SUFFIX) && entities !== 0);
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="refused">
      <h2 id="refused">Refused lines</h2>
      {found.map(({ name }) => (
        <Quarantine key={name} name={name} />
      ))}
    </section>
  );
}

interface Retried {
  readonly inserted: number;
  readonly refused: number;
}

function Quarantine({ name }: { readonly name: string }) {
  const { client, openQuery, reloadModel } = useConsole();
  const reasons = useRequest<Table | undefined>();
  const retry = useRequest<Retried>();
  const dimension = name.slice(0, -SUFFIX.length);
  const load = (): void =>
    reasons.run(async (signal) => {
      const body = `SELECT code, reason, COUNT(*) AS lines, MAX(received) AS newest FROM [${name}] GROUP BY code, reason ORDER BY lines DESC LIMIT 20`;
      return tablesOf((await client.request({ method: 'POST', path: SQL, body }, signal)).json)[0];
    });
  useEffect(load, [name]);
  const again = (): void =>
    retry.run(async (signal) => {
      const retried = await retryAll(client, dimension, signal);
      load();
      reloadModel();
      return retried;
    });
  const lines = `SELECT received, code, reason, ARRAY_TO_STRING(line, '') AS line\nFROM [${name}]\nORDER BY received DESC\nLIMIT 100`;
  return (
    <article class="panel">
      <header class="row between">
        <h3>{dimension}</h3>
        <div class="row">
          <button type="button" class="quiet" onClick={() => openQuery({ path: SQL, body: lines })}>
            Look at the lines
          </button>
          <button type="button" disabled={retry.requestState.state === 'busy'} onClick={again}>
            Insert them again
          </button>
        </div>
      </header>
      {reasons.requestState.state === 'busy' && <Busy text="Reading the reasons…" />}
      {[reasons, retry].map(
        ({ requestState }, index) =>
          requestState.state === 'failed' && <ErrorBox key={index} error={requestState.error} />,
      )}
      {retry.requestState.state === 'busy' && <Busy text="Inserting the lines…" />}
      {retry.requestState.state === 'done' && (
        <p class="good" role="status">
          {formatCount(retry.requestState.value.inserted)} inserted,{' '}
          {formatCount(retry.requestState.value.refused)} still refused.
        </p>
      )}
      {reasons.requestState.state === 'done' && reasons.requestState.value !== undefined && (
        <Grid table={reasons.requestState.value} />
      )}
    </article>
  );
}

/** Sends requests until no lines are left. */
async function retryAll(client: Client, dimension: string, signal: AbortSignal): Promise<Retried> {
  let [inserted, refused] = [0, 0];
  let after: unknown;
  do {
    const body = JSON.stringify({ dimension, ...(after === undefined ? {} : { after }) });
    const { json } = await client.request({ method: 'POST', path: '/v1/quarantine/retry', body }, signal);
    const answer = isObject(json) ? json : {};
    inserted += Number(answer.inserted ?? 0);
    refused += Number(answer.refused ?? 0);
    after = answer.after ?? undefined;
  } while (after !== undefined);
  return { inserted, refused };
}
