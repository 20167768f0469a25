/** The whole page: one file, nothing is loaded from anywhere. Pure. */
import { figureRows } from "../compare/table.js";
import type { FigureTable } from "../records/figures.js";
import type { Sample } from "../run/outcome.js";
import { escapeHtml, scriptJson } from "./escape.js";
import type { LaneTable } from "./lanes.js";
import { CHARTS, LEGEND, STYLE } from "./parts.js";
import { lanesSvg } from "./svg.js";

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
