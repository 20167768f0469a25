/** `hooklet record --from-trace FILE.csv`. */
import { basename } from "node:path";
import { clockText } from "../print/clock-text.js";
import { readTrace } from "../trace/file.js";

/** After the last pod has ended. */
const REST = 60;

/** A scenario of the trace, on a node that has room for its largest pod. @param named what the scenario calls the file. @throws ScenarioFaultsError */
export async function fromTrace(
  file: string,
  named: (file: string) => string,
  warn: (text: string) => Promise<void>,
): Promise<object> {
  const pods = await readTrace(file);
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
    trace: { file: named(file) },
    until: clockText(Math.ceil(end) + REST),
    expect: [],
  };
}
