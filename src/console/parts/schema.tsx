/** The dimensions and columns of the database beside an editor; a click puts a name into the text. */
import { activeColumns, ENTITY_ID, type Model } from '../server/model.js';

interface SchemaProps {
  readonly model: Model;
  readonly isSql: boolean;
  readonly onInsert: (text: string) => void;
}

export function Schema({ model, isSql, onInsert }: SchemaProps) {
  const named = (name: string): string => (isSql ? `[${name}]` : JSON.stringify(name));
  return (
    <aside class="schema" aria-label="Dimensions and columns">
      {model.dimensions.map((dimension) => (
        <details key={dimension.name}>
          <summary>{dimension.name}</summary>
          <ul>
            {[
              { name: dimension.name, type: 'dimension' },
              { name: ENTITY_ID, type: 'ID' },
            ]
              .concat(activeColumns(dimension).map(({ name, type }) => ({ name, type })))
              .map(({ name, type }, index) => (
                <li key={`${index} ${name}`}>
                  <button type="button" class="quiet" onClick={() => onInsert(named(name))}>
                    {name}
                  </button>
                  <small>{type}</small>
                </li>
              ))}
          </ul>
        </details>
      ))}
    </aside>
  );
}
