/**
 * Points on a map, drawn on a canvas from outlines that the server sends. Dragging, wheel, buttons and keys move the map; the
 * point nearest to the pointer is labelled.
 */

import mapAddress from 'virtual:map';
import { type GeoProjection, geoMercator, geoPath } from 'd3-geo';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MapPoint } from '../answer/chart.js';
import { plural } from '../answer/format.js';
import { useConsole } from '../parts/context.js';
import { Busy } from '../parts/controls.js';

interface Outlines {
  readonly land: GeoJSON.MultiPolygon;
  readonly borders: GeoJSON.MultiLineString;
  readonly states: GeoJSON.MultiLineString;
}

interface Look {
  readonly zoom: number;
  /** In pixels. */
  readonly x: number;
  readonly y: number;
}

const HEIGHT = 420;
const WHOLE: Look = { zoom: 1, x: 0, y: 0 };
const ZOOM_MAX = 64;
const STEP = 60;
const NEAR_PIXELS = 12;
/** The Mercator projection ends before the poles. */
const LATITUDE_MAX = 84;
/** From this scale on, borders of states are drawn. */
const STATES_SCALE_MIN = 300;

export function PointMap({
  points,
  label,
}: {
  readonly points: readonly MapPoint[];
  readonly label: string;
}) {
  const { theme } = useConsole();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [outlines, setOutlines] = useState<Outlines | null>(null);
  const [look, setLook] = useState(WHOLE);
  const [width, setWidth] = useState(0);
  const [near, setNear] = useState<MapPoint | null>(null);
  const dragged = useRef<{ x: number; y: number } | null>(null);

  useEffect(() => {
    let isHere = true;
    fetch(mapAddress)
      .then((response) => response.json())
      .then((read: Outlines) => {
        if (isHere) setOutlines(read);
      })
      .catch(() => {});
    return () => {
      isHere = false;
    };
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const resizing = new ResizeObserver(() => setWidth(element.clientWidth));
    resizing.observe(element);
    return () => resizing.disconnect();
  }, []);

  useEffect(() => {
    if (canvas.current !== null && width > 0) {
      draw(canvas.current, { projection: projectionFor(points, width, look), outlines, points, width, near });
    }
  }, [points, width, look, outlines, theme, near]);

  const move = (zoomBy: number, dx: number, dy: number): void =>
    setLook((before) => moved(before, zoomBy, dx, dy, width));
  const onKey = (event: KeyboardEvent): void => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (step === null) setLook(WHOLE);
    else move(...step);
  };
  const onPointer = (event: PointerEvent): void => {
    const from = dragged.current;
    if (from !== null) {
      move(1, event.clientX - from.x, event.clientY - from.y);
      dragged.current = { x: event.clientX, y: event.clientY };
      return;
    }
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    const projection = projectionFor(points, width, look);
    setNear(nearest(points, projection, event.clientX - box.left, event.clientY - box.top));
  };
  return (
    <figure class="map">
      <figcaption>
        {label}: {plural(points.length, 'place')}
      </figcaption>
      <div class="map-frame">
        {outlines === null && <Busy text="Drawing the map…" />}
        <canvas
          ref={canvas}
          height={HEIGHT}
          // Arrow keys move the map.
          tabIndex={0}
          role="img"
          aria-label={`Map of ${plural(points.length, 'place')}; arrow keys move it, plus and minus zoom, 0 shows all`}
          onKeyDown={onKey}
          onPointerMove={onPointer}
          onPointerDown={(event) => {
            dragged.current = { x: event.clientX, y: event.clientY };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerUp={() => {
            dragged.current = null;
          }}
          onPointerCancel={() => {
            dragged.current = null;
          }}
          onPointerLeave={() => setNear(null)}
        />
        <div class="map-buttons">
          <button type="button" aria-label="Zoom in" onClick={() => move(2, 0, 0)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => move(0.5, 0, 0)}>
            −
          </button>
          <button type="button" aria-label="Show all places" onClick={() => setLook(WHOLE)}>
            ⤢
          </button>
        </div>
        <p class="map-name">{near === null ? '' : `${near.name} (${near.at[1]}, ${near.at[0]})`}</p>
      </div>
    </figure>
  );
}

/** Zoom, right, down; null = show all points. */
const KEYS: Readonly<Record<string, readonly [number, number, number] | null>> = {
  '+': [2, 0, 0],
  '=': [2, 0, 0],
  '-': [0.5, 0, 0],
  ArrowLeft: [1, STEP, 0],
  ArrowRight: [1, -STEP, 0],
  ArrowUp: [1, 0, STEP],
  ArrowDown: [1, 0, -STEP],
  '0': null,
};

/** Moves the view and zooms around its centre. */
function moved({ zoom, x, y }: Look, zoomBy: number, dx: number, dy: number, width: number): Look {
  const next = Math.min(ZOOM_MAX, Math.max(0.25, zoom * zoomBy));
  const factor = next / zoom;
  const middle = (at: number, size: number): number => (at - size / 2) * factor + size / 2;
  return { zoom: next, x: middle(x, width) + dx, y: middle(y, HEIGHT) + dy };
}

function projectionFor(points: readonly MapPoint[], width: number, { zoom, x, y }: Look): GeoProjection {
  const coordinates = points.map(({ at: [longitude, latitude] }): [number, number] => [
    longitude,
    Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude)),
  ]);
  const margin = 24;
  const frame: [[number, number], [number, number]] = [
    [margin, margin],
    [Math.max(margin + 1, width - margin), HEIGHT - margin],
  ];
  const projection = geoMercator();
  if (coordinates.length < 2) projection.fitExtent(frame, { type: 'Sphere' });
  else projection.fitExtent(frame, { type: 'MultiPoint', coordinates });
  // Limits the zoom on a single point.
  const fitted = Math.min(projection.scale(), width * 8);
  const [left, top] = projection.translate();
  const shrink = fitted / projection.scale();
  const middle = (at: number, size: number): number => (at - size / 2) * shrink + size / 2;
  return projection
    .scale(fitted * zoom)
    .translate([middle(left, width) * zoom + x, middle(top, HEIGHT) * zoom + y]);
}

interface Scene {
  readonly projection: GeoProjection;
  readonly outlines: Outlines | null;
  readonly points: readonly MapPoint[];
  readonly width: number;
  readonly near: MapPoint | null;
}

function draw(canvas: HTMLCanvasElement, { projection, outlines, points, width, near }: Scene): void {
  const density = window.devicePixelRatio;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(HEIGHT * density);
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  context.scale(density, density);
  if (outlines !== null) drawOutlines(context, projection, outlines, color);
  context.fillStyle = color('--accent');
  context.globalAlpha = points.length > 500 ? 0.55 : 0.8;
  const radius = points.length > 2_000 ? 1.8 : 3;
  for (const { at } of points) drawPoint(context, projection, at, radius);
  context.globalAlpha = 1;
  context.fillStyle = color('--mark');
  if (near !== null) drawPoint(context, projection, near.at, radius + 3);
}

function drawOutlines(
  context: CanvasRenderingContext2D,
  projection: GeoProjection,
  { land, borders, states }: Outlines,
  color: (name: string) => string,
): void {
  const path = geoPath(projection, context);
  context.beginPath();
  path(land);
  context.fillStyle = color('--land');
  context.fill();
  context.strokeStyle = color('--border');
  context.lineWidth = 0.8;
  context.beginPath();
  path(borders);
  if (projection.scale() > STATES_SCALE_MIN) path(states);
  context.stroke();
}

function drawPoint(
  context: CanvasRenderingContext2D,
  projection: GeoProjection,
  at: MapPoint['at'],
  radius: number,
): void {
  const pixel = projection([at[0], at[1]]);
  if (pixel === null) return;
  context.beginPath();
  context.arc(pixel[0], pixel[1], radius, 0, 2 * Math.PI);
  context.fill();
}

function nearest(
  points: readonly MapPoint[],
  projection: GeoProjection,
  x: number,
  y: number,
): MapPoint | null {
  let found: MapPoint | null = null;
  let best = NEAR_PIXELS;
  for (const point of points) {
    const pixel = projection([point.at[0], point.at[1]]);
    const distance = pixel === null ? best : Math.hypot(pixel[0] - x, pixel[1] - y);
    if (distance >= best) continue;
    best = distance;
    found = point;
  }
  return found;
}
