/** One agent per container runtime: an agent stops the pods that it does not know, as a kubelet does. */

import { disk } from "@hooklet/linux";
import { NodeAgentError, whenGone } from "@hooklet/utils";
import { ROOT_DIR_ANNOTATION } from "../pod/holds.js";
import type { PodRemains } from "../pod/life/adopt.js";
import { isLocked } from "../state/lock.js";

/**
 * An agent that has ended may have left its pods, which are no reason.
 * @throws NodeAgentError CLAIM_CONFLICT while the agent of another root directory runs pods there
 */
export async function refuseSharedRuntime(found: Iterable<PodRemains>, rootDir: string): Promise<void> {
  const noted = [...found].flatMap(({ sandboxes }) =>
    sandboxes.map(({ annotations }) => annotations[ROOT_DIR_ANNOTATION]),
  );
  for (const other of new Set(noted)) {
    if (other === undefined || other === rootDir || !(await isOfAnother(other, rootDir))) continue;
    throw new NodeAgentError(
      "CLAIM_CONFLICT",
      `Another agent, with the root directory ${other}, has pods in this container runtime, and this agent would stop them. ` +
        "Give each agent its own container runtime (runtime.options.endpoint), or stop the other agent.",
    );
  }
}

/** Not the own directory under another name, and in use. */
async function isOfAnother(other: string, rootDir: string): Promise<boolean> {
  const path = await whenGone(undefined, () => disk.realpath(other), ["ENOENT", "EACCES"]);
  return path !== undefined && path !== (await disk.realpath(rootDir)) && isLocked(path);
}
