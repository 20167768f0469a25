/** Lanes as a picture (SVG). Pure. */

import { clockText } from "../print/clock-text.js";
import type { Lane, Mark } from "./lanes.js";

const ROW = 22;
const NAME = 210;
const WIDTH = 1000;
const HEAD = 24;

const markShapes: Readonly<Record<Mark["kind"], string>> = {
  probe: "M -3 0 A 3 3 0 1 0 3 0 A 3 3 0 1 0 -3 0",
  restart: "M 0 -6 L 6 5 L -6 5 Z",
  killed: "M -4 -4 L 4 4 M 4 -4 L -4 4",
  evicted: "M -6 -6 L 6 6 M 6 -6 L -6 6",
  rejected: "M -6 0 L 6 0",
  oom: "M 0 -7 L 7 0 L 0 7 L -7 0 Z",
};

/** @param until seconds that the whole width is */
export function lanesSvg(lanes: readonly Lane[], until: number, title: string): string {
  const x = (t: number): string => (NAME + (Math.min(t, until) / Math.max(until, 0.001)) * WIDTH).toFixed(1);
  const height = HEAD + lanes.length * ROW + 6;
  const rows = lanes.map((lane, index) => row(lane, HEAD + index * ROW, x)).join("");
  const ticks = Array.from({ length: 7 }, (_, index) => (until * index) / 6)
    .map(
      (t) =>
        `<line class="tick" x1="${x(t)}" x2="${x(t)}" y1="${HEAD - 4}" y2="${height}"/><text class="time" x="${x(t)}" y="12">${clockText(Math.round(t))}</text>`,
    )
    .join("");
  return `<svg class="lanes" role="img" aria-label="${escapeHtml(title)}" viewBox="0 0 ${NAME + WIDTH + 40} ${height}">${ticks}${rows}</svg>`;
}

function row({ name, spans, marks }: Lane, y: number, x: (t: number) => string): string {
  const label = `<text class="name" x="4" y="${y + 15}">${escapeHtml(name.length > 30 ? `${name.slice(0, 29)}…` : name)}</text>`;
  const bars = spans.map(({ from, to, state }) => {
    const width = Math.max(1, Number(x(to)) - Number(x(from))).toFixed(1);
    const text = `${name}: ${state}, ${clockText(from)} to ${clockText(to)}`;
    return `<rect class="span ${classOf(state)}" x="${x(from)}" y="${y + 4}" width="${width}" height="${ROW - 8}"><title>${escapeHtml(text)}</title></rect>`;
  });
  const signs = marks.map(
    ({ t, kind, text }) =>
      `<path class="mark ${kind}" d="${markShapes[kind]}" transform="translate(${x(t)} ${y + ROW / 2})"><title>${escapeHtml(`${clockText(t)} ${text}`)}</title></path>`,
  );
  return label + bars.join("") + signs.join("");
}

const STATES = ["waiting", "not ready", "ready", "failed", "succeeded"];

/** Devices are held by pods: any other state means that a pod has them. */
function classOf(state: string): string {
  return STATES.includes(state) ? state.replace(" ", "-") : "held";
}

/** Texts in HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A value within a script element: nothing in it ends the element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
