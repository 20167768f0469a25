/** The runtime, started and measured, and the node that it runs on. */
import path from "node:path";
import { disk } from "@hooklet/linux";
import { isName } from "@hooklet/manifest";
import type { Clock } from "@hooklet/utils";
import type { AgentConfig } from "../../config/agent-config.js";
import { podLogsDirOf } from "../../config/root-dir.js";
import { type Node, readNode } from "../../node/node.js";
import { createNodePorts, type NodePorts } from "../../node/ports.js";
import type { Host } from "../../plugin/contract.js";
import { withBoundedLists } from "../../runtime/bounded-lists.js";
import { instrumented } from "../../runtime/instrumented.js";
import type { Runtime, RuntimeInfo } from "../../runtime/port.js";
import { withSharedImages } from "../../runtime/shared-calls.js";
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
