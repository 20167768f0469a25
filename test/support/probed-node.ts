/** An agent with the probe plugin, and what its pods' statuses say. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type V1Pod, Workplace } from "./agent.js";
import type { RealRuntime } from "./runtimes.js";

/** Seconds that a probe may take: no answer of a busy machine is too late for it. */
export const timeoutSeconds = 20;

export const status = (pod: V1Pod | undefined) => pod?.status.containerStatuses?.[0];
export const condition = (pod: V1Pod | undefined, type: string) =>
  pod?.status.conditions?.find((one) => one.type === type)?.status;

export async function place(runtime: RealRuntime): Promise<Workplace> {
  const made = await Workplace.create();
  const rc = { node: { name: "node1", evictionHard: {} }, runtime: runtime.rc, plugins: ["probe"] };
  await writeFile(path.join(made.folder, "rc.json"), JSON.stringify(rc));
  await start(made);
  return made;
}

export function start(made: Workplace): Promise<void> {
  return made.start("--config", path.join(made.folder, "rc.json"));
}
