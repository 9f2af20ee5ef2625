/** Draws a scene as SVG in the width of the page. Shapes with an action are buttons, for the keyboard too. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { FONT, type Scene, type Shape, TEXT_SIZE } from './scenes/scene.js';

interface SceneProps {
  readonly label: string;
  readonly sceneOf: (width: number) => Scene;
  /** Called with the action of a shape that is clicked or chosen with the keyboard. */
  readonly onAction?: (action: number) => void;
}

export function SceneView({ label, sceneOf, onAction }: SceneProps) {
  const container = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const resizing = new ResizeObserver(() => setWidth(element.clientWidth));
    resizing.observe(element);
    return () => resizing.disconnect();
  }, []);
  const scene = width > 0 ? sceneOf(width) : null;
  return (
    <div class="scene" ref={container}>
      {scene !== null && (
        // biome-ignore lint/a11y/useSemanticElements: a picture with buttons is no fieldset
        <svg width={scene.width} height={scene.height} role="group" aria-label={label}>
          {scene.shapes.map((shape, index) => (
            <ShapeView key={index} shape={shape} {...(onAction === undefined ? {} : { onAction })} />
          ))}
        </svg>
      )}
    </div>
  );
}

interface ShapeProps {
  readonly shape: Shape;
  readonly onAction?: (action: number) => void;
}

function ShapeView({ shape, onAction }: ShapeProps) {
  const { action, title } = shape;
  if (action === undefined || onAction === undefined) return <Drawn shape={shape} />;
  const choose = (): void => onAction(action);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button
    <g role="button" tabIndex={0} class="action" aria-label={title} onClick={choose} onKeyDown={onKeyDown}>
      <Drawn shape={shape} />
    </g>
  );
}

const inkOf = (name: string | undefined): string => (name === undefined ? 'none' : `var(--${name})`);

function Drawn({ shape }: { readonly shape: Shape }) {
  const { opacity = 1, title } = shape;
  const note = title === undefined ? null : <title>{title}</title>;
  if (shape.kind === 'rect') {
    const { x, y, width, height, fill } = shape;
    return (
      <rect {...{ x, y, width, height, opacity }} fill={inkOf(fill)}>
        {note}
      </rect>
    );
  }
  if (shape.kind === 'path') {
    return (
      <path
        d={shape.d}
        opacity={opacity}
        fill={inkOf(shape.fill)}
        stroke={inkOf(shape.stroke)}
        stroke-width={shape.width ?? 0}
      >
        {note}
      </path>
    );
  }
  return (
    <text
      {...{ x: shape.x, y: shape.y, opacity }}
      fill={inkOf(shape.fill)}
      font-family={FONT}
      font-size={TEXT_SIZE}
      font-weight={shape.bold ? 600 : 400}
      text-anchor={shape.anchor ?? 'start'}
    >
      {shape.text}
    </text>
  );
}
