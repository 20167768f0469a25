/** `hooklet record --from-trace FILE.csv`. */
import { basename } from "node:path";
import { NodeAgentError } from "@hooklet/core";
import { nearest } from "@hooklet/manifest";
import { clockText } from "../print/clock-text.js";
import { readTrace } from "../trace/file.js";
import { type TraceFormat, traceFormats } from "../trace/formats.js";

/** After the last pod has ended. */
const REST = 60;

/** A scenario of the trace, on a node that has room for its largest pod. @param named what the scenario calls the file. @throws ScenarioFaultsError, NodeAgentError INVALID */
export async function fromTrace(
  file: string,
  format: string,
  named: (file: string) => string,
  warn: (text: string) => Promise<void>,
): Promise<object> {
  if (!traceFormats.includes(format as TraceFormat)) {
    const near = nearest(format, traceFormats)[0];
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    throw new NodeAgentError(
      "INVALID",
      `--trace-format: expected one of ${traceFormats.join(", ")}, found "${format}".${hint}`,
    );
  }
  const pods = await readTrace(file, format as TraceFormat);
  if (pods.length === 0) await warn(`${file} has no pod with a beginning and an end`);
  const end = pods.reduce((last, { arrival, duration }) => Math.max(last, arrival + duration), 0);
  const largest = (of: (pod: (typeof pods)[number]) => number | undefined): number =>
    pods.reduce((most, pod) => Math.max(most, of(pod) ?? 0), 0);
  return {
    description: `${pods.length} pods of ${basename(file)}`,
    node: {
      cpu: String(Math.max(16, Math.ceil(largest(({ cpu }) => cpu) * 2))),
      memory: String(Math.max(64 * 1024 ** 3, largest(({ memory }) => memory) * 2)),
    },
    trace: { file: named(file), format },
    until: clockText(Math.ceil(end) + REST),
    expect: [],
  };
}
