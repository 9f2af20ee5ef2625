/** A plan as nested lists of operators, each with its rows and its share of the longest time. */
import { formatCount, formatSeconds } from '../answer/format.js';
import type { PlanNode } from '../answer/plan.js';

export function PlanTree({ nodes }: { readonly nodes: readonly PlanNode[] }) {
  return (
    <figure class="plan">
      <figcaption>Operators, each above the operators whose rows it reads</figcaption>
      <Nodes nodes={nodes} longest={Math.max(1e-9, ...timesIn(nodes))} />
    </figure>
  );
}

const timesIn = (nodes: readonly PlanNode[]): number[] =>
  nodes.flatMap(({ milliseconds, children }) => [milliseconds ?? 0, ...timesIn(children)]);

interface NodesProps {
  readonly nodes: readonly PlanNode[];
  readonly longest: number;
}

function Nodes({ nodes, longest }: NodesProps) {
  return (
    <ul>
      {nodes.map((node, index) => (
        // Operators of a plan have no other key.
        <li key={index}>
          <div class="operator">
            <b>{node.operator}</b>
            <span class="detail">{node.detail}</span>
            <span class="rows">{factsOf(node)}</span>
            {node.milliseconds !== null && (
              <meter
                min={0}
                max={longest}
                value={node.milliseconds}
                aria-label={`Time of ${node.operator}`}
              />
            )}
          </div>
          {node.children.length > 0 && <Nodes nodes={node.children} longest={longest} />}
        </li>
      ))}
    </ul>
  );
}

function factsOf({ rows, estimatedRows, milliseconds, shards }: PlanNode): string {
  const facts = [
    rows === null ? '' : `${formatCount(rows)} rows`,
    estimatedRows === null || estimatedRows === rows ? '' : `${formatCount(estimatedRows)} estimated`,
    milliseconds === null ? '' : formatSeconds(milliseconds / 1_000),
    shards === null ? '' : `on ${shards} shards`,
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}
