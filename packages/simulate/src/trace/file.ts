/** A trace's file. */
import { stat } from "node:fs/promises";
import { errorText } from "@hooklet/core";
import { readBounded } from "@hooklet/linux";
import { ScenarioFaultsError } from "../values/faults.js";
import { parseTrace } from "./read.js";
import type { TracedPod } from "./row.js";

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
