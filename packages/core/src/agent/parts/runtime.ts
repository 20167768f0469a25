/** The runtime, started and measured, and the node that it runs on. */
import type { Clock } from "../../clock.js";
import type { AgentConfig } from "../../config/types.js";
import { type Node, readNode } from "../../node/node.js";
import { createNodePorts, type NodePorts } from "../../node/ports.js";
import type { Host } from "../../plugin/contract.js";
import { instrumented } from "../../runtime/instrumented.js";
import type { Runtime, RuntimeInfo } from "../../runtime/port.js";
import type { Unwind } from "../unwind.js";
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
  } & Pick<Telemetry, "metrics" | "events" | "report">,
  undo: Unwind,
): Promise<RuntimePart> {
  const { clock, config, metrics, events, host, report } = needs;
  const runtime = instrumented(needs.runtime, metrics, clock);
  await runtime.start();
  undo.push(() => runtime.close());
  for (const text of runtime.damage?.() ?? []) events.node("Warning", "CorruptCheckpoint", text);
  const [info, node] = await Promise.all([runtime.info(), readNode(host, config.node, config.rootDir)]);
  const nodePorts = createNodePorts(node, clock, report, config.server?.port);
  undo.push(() => nodePorts.stop());
  return { runtime, info, node, nodePorts, host };
}
