/** The runtime, started and measured, and the node that it runs on. */
import path from "node:path";
import { instrumented, type Runtime, type RuntimeInfo, withBoundedLists, withSharedImages } from "@hooklet/cri-api";
import { disk, isLocked } from "@hooklet/linux";
import { isName } from "@hooklet/manifest";
import { type Clock, NodeAgentError, whenGone } from "@hooklet/utils";
import type { AgentConfig } from "../../config/agent-config.js";
import { podLogsDirOf } from "../../config/root-dir.js";
import { type Node, readNode } from "../../node/node.js";
import { createNodePorts, type NodePorts } from "../../node/ports.js";
import type { Host } from "../../plugin/contract.js";
import { ROOT_DIR_ANNOTATION } from "../../pod/holds.js";
import type { PodRemains } from "../../pod/life/take-over.js";
import type { Cleanup } from "../cleanup.js";
import type { Telemetry } from "./telemetry.js";

export interface RuntimePart {
  readonly runtime: Runtime;
  readonly info: RuntimeInfo;
  readonly node: Node;
  /** The node as plugins see it, and what they say of it. */
  readonly nodePorts: NodePorts;
  readonly host: Host;
}

export async function runtimePart(
  needs: {
    readonly clock: Clock;
    readonly config: AgentConfig;
    readonly runtime: Runtime;
    readonly host: Host;
  } & Pick<Telemetry, "metrics" | "events" | "log" | "report">,
  cleanup: Cleanup,
): Promise<RuntimePart> {
  const { clock, config, metrics, events, log, host, report } = needs;
  const podLogsDir = podLogsDirOf(config, needs.runtime.podLogsDir);
  const warn = (text: string): void => {
    log.error(text);
    events.node("Warning", "RuntimeListTooLarge", text);
  };
  const counted = withSharedImages(instrumented(needs.runtime, metrics, clock), clock);
  const runtime = withBoundedLists(counted, { clock, warn, knownUids: () => podUidsBelow(config.rootDir, podLogsDir) });
  await runtime.start();
  cleanup.push(() => runtime.close());
  for (const text of runtime.damage?.() ?? []) events.node("Warning", "CorruptCheckpoint", text);
  const [info, node] = await Promise.all([runtime.info(), readNode(host, config.node, config.rootDir)]);
  const nodePorts = createNodePorts(node, clock, report, config.server?.port);
  cleanup.push(() => nodePorts.stop());
  return { runtime, info, node, nodePorts, host };
}

/** Uids of pods that have a folder below the root dir, or one for their logs (`<namespace>_<name>_<uid>`). */
async function podUidsBelow(rootDir: string, podLogsDir: string): Promise<readonly string[]> {
  const own = await entries(path.join(rootDir, "pods"));
  const logs = (await entries(podLogsDir)).map((name) => name.split("_").at(-1) ?? "");
  return [...new Set([...own, ...logs])].filter((uid) => isName(uid, "uid"));
}

/** None where there is no such folder yet. */
async function entries(folder: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(folder);
  } catch {
    return [];
  }
}

/**
 * One agent per container runtime: an agent stops the pods that it does not know, as a kubelet does. An agent that has ended may have left
 * its pods, which are no reason.
 * @throws NodeAgentError CLAIM_CONFLICT while the agent of another root directory runs pods there
 */
export async function refuseSharedRuntime(found: Iterable<PodRemains>, rootDir: string): Promise<void> {
  const noted = [...found].flatMap(({ sandboxes }) =>
    sandboxes.map(({ annotations }) => annotations[ROOT_DIR_ANNOTATION]),
  );
  for (const other of new Set(noted)) {
    if (other === undefined || !(await isOfAnother(other, rootDir))) continue;
    throw new NodeAgentError(
      "CLAIM_CONFLICT",
      `Another agent, with the root directory ${other}, has pods in this container runtime, and this agent would stop them. ` +
        "Give each agent its own container runtime (runtime.options.endpoint), or stop the other agent.",
    );
  }
}

/** Not the own directory, whatever its name, and in use. */
async function isOfAnother(other: string, rootDir: string): Promise<boolean> {
  const path = await whenGone(undefined, () => disk.realpath(other), ["ENOENT", "EACCES"]);
  return path !== undefined && path !== (await disk.realpath(rootDir)) && isLocked(path);
}
