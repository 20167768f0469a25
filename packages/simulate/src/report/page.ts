/** The whole page: one file, nothing is loaded from anywhere. Pure. */

import { figureRows } from "../compare/table.js";
import type { FigureTable } from "../records/figures.js";
import type { Sample } from "../run/outcome.js";
import type { LaneTable } from "./lanes.js";
import { escapeHtml, lanesSvg, scriptJson } from "./svg.js";

export interface ReportedRun {
  readonly name: string;
  readonly figures: FigureTable;
  readonly lanes: LaneTable;
  readonly samples: readonly Sample[];
  /** Seconds. */
  readonly until: number;
  /** What was not as expected, a sentence each. */
  readonly failures: readonly string[];
}

export interface ReportedScenario {
  readonly name: string;
  readonly description: string;
  /** One, or those that are compared: side by side. */
  readonly runs: readonly ReportedRun[];
  /** Where they part. */
  readonly partings: readonly string[];
}

/** uPlot, as its package has it. */
export interface ChartLibrary {
  readonly script: string;
  readonly style: string;
}

export function reportPage(title: string, scenarios: readonly ReportedScenario[], library: ChartLibrary): string {
  const data = scenarios.map(({ runs }) => runs.map(({ name, samples }) => ({ name, samples })));
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${library.style}${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${scenarios.map(section).join("\n")}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${library.script.replaceAll("</script", "<\\/script")}</script>
<script>${CHARTS}</script>
</body>
</html>
`;
}

function section({ name, description, runs, partings }: ReportedScenario, index: number): string {
  const about = description === "" ? "" : `<p>${escapeHtml(description)}</p>`;
  const parts = partings.map((text) => `<pre>${escapeHtml(text)}</pre>`).join("");
  const columns = runs.map((run, at) => column(run, `chart-${index}-${at}`)).join("");
  return `<section><h2>${escapeHtml(name)}</h2>${about}${figures(runs)}${parts}<div class="runs">${columns}</div></section>`;
}

function column({ name, lanes, until, failures }: ReportedRun, id: string): string {
  const wrong = failures.map((text) => `<li>${escapeHtml(text)}</li>`).join("");
  const hidden = lanes.hidden === 0 ? "" : `<p>and ${lanes.hidden} pods more</p>`;
  const devices =
    lanes.devices.length === 0 ? "" : `<h4>Devices</h4>${lanesSvg(lanes.devices, until, `devices of ${name}`)}`;
  return `<article><h3>${escapeHtml(name)}</h3>${wrong === "" ? "" : `<ul class="wrong">${wrong}</ul>`}<h4>Pods</h4>${LEGEND}${lanesSvg(lanes.pods, until, `pods of ${name}`)}${hidden}${devices}<h4>Node</h4><div class="charts" id="${id}"></div></article>`;
}

function figures(runs: readonly ReportedRun[]): string {
  const rows = figureRows(runs).map(({ name, values, differs }) => {
    const cells = values.map((value) => `<td>${escapeHtml(value)}</td>`).join("");
    return `<tr${differs ? ' class="differs"' : ""}><th>${escapeHtml(name)}</th>${cells}</tr>`;
  });
  const head = runs.map((run) => `<th>${escapeHtml(run.name)}</th>`).join("");
  return `<table><thead><tr><th></th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

// The page's style, and the script that draws its curves with uPlot.

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 1600px; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .15rem .8rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; font-weight: 400; }
tr.differs td, tr.differs th { font-weight: 700; }
pre { white-space: pre-wrap; border-left: 3px solid #888; padding-left: .8rem; }
.runs { display: grid; grid-template-columns: repeat(auto-fit, minmax(560px, 1fr)); gap: 2rem; }
.lanes { width: 100%; height: auto; font-size: 12px; }
.lanes text { fill: currentColor; }
.tick { stroke: #8884; }
.time { text-anchor: middle; }
.span.waiting { fill: #c9c9c9; } .span.not-ready { fill: #f0c24b; } .span.ready { fill: #4caf7a; }
.span.failed { fill: #d9534f; } .span.succeeded { fill: #7fa8d1; } .span.held { fill: #8e7cc3; }
.mark { stroke: #222; stroke-width: 1.4; fill: none; }
.mark.probe { fill: #d9534f; stroke: none; } .mark.restart { fill: #fff; } .mark.oom { fill: #d9534f; }
.mark.evicted { stroke: #b00020; stroke-width: 2.4; }
.wrong { color: #b00020; }
.legend i { display: inline-block; width: 1em; height: .8em; margin: 0 .3em 0 .8em; }
.charts { display: grid; gap: 1rem; }
@media (prefers-color-scheme: dark) { .u-legend, .u-title { color: #ddd; } .mark { stroke: #eee; } }
`;

const STATES = {
  waiting: "#c9c9c9",
  "not ready": "#f0c24b",
  ready: "#4caf7a",
  failed: "#d9534f",
  succeeded: "#7fa8d1",
};

/** What the colours and signs of lanes say. */
const LEGEND = `<p class="legend">${Object.entries(STATES)
  .map(([state, colour]) => `<i style="background:${colour}"></i>${state}`)
  .join(
    " ",
  )} &nbsp; ● failed probe &nbsp; △ restart &nbsp; × ended or evicted &nbsp; ◆ killed for lack of memory &nbsp; – rejected</p>`;

const CHARTS = `
const all = JSON.parse(document.getElementById("data").textContent);
const gib = (v) => v == null ? "-" : (v / 2 ** 30).toFixed(2) + " GiB";
const clock = (t) => { const s = Math.round(t), h = Math.floor(s / 3600), m = Math.floor(s % 3600 / 60); return (h ? h + "h" : "") + (h || m ? m + "m" : "") + s % 60 + "s"; };
const sets = [
  ["Disk", [["image file system used", "imageFsUsed", "#d9534f"], ["images", "images", "#4caf7a"]], gib],
  ["Memory", [["used", "memory", "#7fa8d1"]], gib],
  ["Pods", [["running", "running", "#4caf7a"], ["ready", "ready", "#7fa8d1"]], (v) => v == null ? "-" : String(v)],
];
all.forEach((runs, i) => runs.forEach(({ samples }, j) => {
  const place = document.getElementById("chart-" + i + "-" + j);
  if (!samples.length) { place.textContent = "nothing was measured"; return; }
  for (const [title, series, show] of sets) {
    new uPlot({
      title, width: Math.max(320, place.clientWidth), height: 180,
      scales: { x: { time: false }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [{ values: (u, ts) => ts.map(clock), stroke: "#888" }, { size: 90, values: (u, vs) => vs.map(show), stroke: "#888" }],
      series: [{ label: "time", value: (u, t) => t == null ? "-" : clock(t) },
        ...series.map(([label, , stroke]) => ({ label, stroke, width: 1.5, value: (u, v) => show(v) }))],
    }, [samples.map((s) => s.t), ...series.map(([, key]) => samples.map((s) => s[key]))], place);
  }
}));
document.documentElement.dataset.drawn = String(document.querySelectorAll("canvas").length);
`;
