/** A trace's text as pods, with all its faults. */

import { stat } from "node:fs/promises";
import { errorText } from "@hooklet/core";
import { readBounded } from "@hooklet/linux";
import { ScenarioFaultsError } from "../values/scenario-faults.js";
import { type Cells, requiredColumns, type Trace, type TracedPod, type TraceFault, traceReader } from "./columns.js";
import { parseCsv } from "./csv.js";

/** More are no news. */
const MAX_FAULTS = 100;
/** Characters of what was found. */
const MAX_SHOWN = 200;

/** Arrivals count from that of the first pod. */
export function parseTrace(text: string): Trace {
  const reader = traceReader();
  const faults: TraceFault[] = [];
  let columns: readonly string[] | undefined;
  for (const { line, cells: row } of parseCsv(text)) {
    if (columns === undefined) {
      columns = row.map((name) => name.trim());
      const missing = requiredColumns.filter((name) => !columns?.includes(name));
      // A file without any of them may hold secrets: it is not shown.
      const isTrace = missing.length < requiredColumns.length;
      const found = isTrace ? columns.join(",").slice(0, MAX_SHOWN) : "none of a trace's columns";
      for (const column of missing) {
        faults.push({ line, column, expected: `a column ${column} (${requiredColumns.join(", ")})`, found });
      }
      if (missing.length > 0) return { pods: [], faults };
      continue;
    }
    reader.row(cellsOf(row, columns, line, faults));
    if (faults.length >= MAX_FAULTS) break;
  }
  const pods = reader.pods().toSorted((a, b) => a.arrival - b.arrival);
  return { pods: distinct(fromFirst(pods)), faults };
}

function cellsOf(row: readonly string[], columns: readonly string[], line: number, faults: TraceFault[]): Cells {
  const text = (column: string): string => row[columns.indexOf(column)] ?? "";
  const fault = (column: string, expected: string): void => {
    faults.push({ line, column, expected, found: JSON.stringify(text(column).slice(0, MAX_SHOWN)) });
  };
  return {
    text,
    fault,
    number(column) {
      const number = Number(text(column));
      if (Number.isFinite(number) && number >= 0) return number;
      fault(column, "a number of 0 or more");
      return 0;
    },
  };
}

function fromFirst(pods: readonly TracedPod[]): readonly TracedPod[] {
  const first = pods[0]?.arrival ?? 0;
  return pods.map((pod) => ({ ...pod, arrival: pod.arrival - first }));
}

/** Two pods of one name are numbered: each lives its own life. */
function distinct(pods: readonly TracedPod[]): readonly TracedPod[] {
  const seen = new Map<string, number>();
  return pods.map((pod) => {
    const times = seen.get(pod.name) ?? 0;
    seen.set(pod.name, times + 1);
    return times === 0 ? pod : { ...pod, name: `${pod.name}-again-${times}` };
  });
}

// A trace's file.

/** A whole day of one node is far smaller; a trace of a cluster has to be cut to one node. */
const MAX_BYTES = 256 * 1024 * 1024;

/** @throws ScenarioFaultsError with all faults, by line */
export async function readTrace(file: string): Promise<readonly TracedPod[]> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw new Error(`it is larger than ${MAX_BYTES / 2 ** 20} MiB: cut it to the pods of one node`);
    text = await readBounded(file, { maxBytes: MAX_BYTES, anyKind: true });
  } catch (error) {
    throw new ScenarioFaultsError([{ file, path: "", expected: "a trace that can be read", found: errorText(error) }]);
  }
  const { pods, faults } = parseTrace(text);
  if (faults.length === 0) return pods;
  throw new ScenarioFaultsError(
    faults.map(({ line, column, expected, found }) => ({ file, line, path: column, expected, found })),
  );
}
