/** What a container has: its variables, and files of its volumes. */

import { join, posix } from "node:path";
import { errorText } from "@hooklet/core";
import { readBounded } from "@hooklet/linux";
import type { TimedExpectation } from "../scenario/timed-steps.js";
import type { Inside } from "./expectations.js";
import type { ScenarioNode } from "./scenario-node.js";

/** Objects in volumes are smaller. */
const MAX_BYTES = 16 * 1024 * 1024;

export async function insideOf(
  node: ScenarioNode,
  due: readonly TimedExpectation[],
): Promise<ReadonlyMap<TimedExpectation["expectation"], Inside>> {
  const found = new Map<TimedExpectation["expectation"], Inside>();
  for (const { expectation } of due) {
    if (expectation.env === undefined && expectation.file === undefined) continue;
    found.set(expectation, await look(node, expectation).catch((error: unknown) => ({ why: errorText(error) })));
  }
  return found;
}

async function look(
  { source, runtime, rootDir }: ScenarioNode,
  { pod = "", container, env, file = "" }: TimedExpectation["expectation"],
): Promise<Inside> {
  const uid = source.uidOf(pod);
  const { envs, mounts } = runtime.configOf(uid, containerOf(source, uid, container));
  if (env !== undefined) return { found: envs.find(({ key }) => key === env)?.value ?? null };
  const path = posix.normalize(file);
  const within = (place: string): boolean => path === place || path.startsWith(`${place === "/" ? "" : place}/`);
  const [mount] = mounts
    .map(({ containerPath, hostPath }) => ({ containerPath: plain(containerPath), hostPath }))
    .filter(({ containerPath }) => within(containerPath))
    .sort((a, b) => b.containerPath.length - a.containerPath.length);
  if (mount === undefined) throw new Error(`no volume is mounted at ${file}`);
  // The machine that simulates is not the one that is simulated.
  if (!mount.hostPath.startsWith(`${rootDir}/`)) {
    throw new Error(`${mount.containerPath} is ${mount.hostPath} of the machine, which is not simulated`);
  }
  const rest = path.slice(mount.containerPath.length);
  try {
    return { found: await readBounded(join(mount.hostPath, rest), { maxBytes: MAX_BYTES }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { found: null };
    // Not node's words: they have the folder of this run in them.
    throw new Error(`${file} cannot be read (${code})`);
  }
}

/** `/etc/web` for `/etc//web/`. */
function plain(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, "");
}

// Which container of a pod a step of a timeline means.

/** Their names, those of init containers last. */
export function containersOf(source: ScenarioNode["source"], podUid: string): readonly string[] {
  const spec = source.spec(podUid)?.spec;
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
}

/** The one that is named, or the first of spec.containers: an init container or a sidecar is meant by its name alone. */
export function containerOf(source: ScenarioNode["source"], podUid: string, named: string | undefined): string {
  return named ?? containersOf(source, podUid)[0] ?? "";
}
