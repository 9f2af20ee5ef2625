/** The databases that the team key or the user's group may see. */
import { useEffect } from 'preact/hooks';
import { formatCount } from '../answer/format.js';
import { Busy, ErrorBox } from '../parts/controls.js';
import { useRequest } from '../parts/use-request.js';
import type { Client } from '../server/client.js';
import { isList, isObject, type Json } from '../server/json.js';

interface Database {
  readonly name: string;
  readonly type: string;
  readonly dimensions: readonly string[];
  readonly insertedEntities: Json;
  readonly queries: Json;
}

export function Databases({ team }: { readonly team: Client }) {
  const { requestState, run } = useRequest<readonly Database[]>();
  useEffect(() => {
    run(async (signal) =>
      databasesIn((await team.request({ method: 'GET', path: '/v1/database/retrieve_all' }, signal)).json),
    );
  }, [team]);
  if (requestState.state === 'failed') return <ErrorBox error={requestState.error} />;
  const databases = requestState.state === 'done' ? requestState.value : null;
  return (
    <section aria-labelledby="databases">
      <h2 id="databases">Databases of the team</h2>
      {databases === null ? (
        <Busy text="Reading the databases…" />
      ) : (
        <div class="grid">
          <table>
            <thead>
              <tr>
                <th scope="col">Database</th>
                <th scope="col">Type</th>
                <th scope="col">Dimensions</th>
                <th scope="col" class="number">
                  Entities inserted
                </th>
                <th scope="col" class="number">
                  Queries
                </th>
              </tr>
            </thead>
            <tbody>
              {databases.map(({ name, type, dimensions, insertedEntities, queries }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>{type}</td>
                  <td>{dimensions.join(', ')}</td>
                  <td class="number">{figureText(insertedEntities)}</td>
                  <td class="number">{figureText(queries)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const figureText = (figure: Json): string =>
  typeof figure === 'number' || typeof figure === 'bigint' ? formatCount(figure) : '';

function databasesIn(answer: Json): readonly Database[] {
  if (!isList(answer)) return [];
  return answer.filter(isObject).map(({ name, type, dimensions, usage }) => {
    const used = isObject(usage) ? usage : {};
    return {
      ...{ name: String(name), type: String(type) },
      dimensions: isList(dimensions) ? dimensions.map(String) : [],
      insertedEntities: used['inserted-entities'] ?? null,
      queries: used.queries ?? null,
    };
  });
}
