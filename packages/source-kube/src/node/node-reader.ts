/** Reads the node's status. */

import { errorText, type NodeContext } from "@hooklet/core";
import { systemFacts } from "@hooklet/core/rules";
import { rfc3339 } from "@hooklet/utils";
import {
  type ApiCondition,
  KUBELET_VERSION,
  type NodeImage,
  type NodeStatus,
  nodeStatus,
  systemInfo,
} from "./node-status.js";

interface NodeReader {
  /** The whole of it. */
  read(before: readonly ApiCondition[]): Promise<NodeStatus>;
  /** Why the node takes no pods; none: it does. Cheap. */
  notReady(): Promise<readonly string[]>;
}

export function nodeReader(ctx: NodeContext): NodeReader {
  const { clock, node, host, runtime } = ctx;
  const health = new RuntimeHealth();
  /** The last images of the runtime, used while it does not answer. */
  let images: readonly NodeImage[] = [];
  const notReadyNow = async (): Promise<readonly string[]> => {
    const wrong = await runtime.health().catch((error: unknown) => errorText(error));
    return health.heard(wrong, clock.monotonic());
  };
  const read = async (before: readonly ApiCondition[]): Promise<NodeStatus> => {
    const notReady = await notReadyNow();
    const facts = await runtime.facts();
    if (notReady.length === 0) images = await runtime.listImages().catch(() => images);
    const { capacity, allocatable } = node.quantities();
    const platform = { os: node.labels["kubernetes.io/os"] ?? "linux", arch: node.labels["kubernetes.io/arch"] ?? "" };
    return nodeStatus(
      {
        name: node.name,
        ip: node.ip,
        port: node.serverPort,
        capacity,
        allocatable,
        system: systemInfo(
          systemFacts(host, platform),
          host.kernel.read("/proc/meminfo") ?? "",
          facts,
          KUBELET_VERSION,
        ),
        images,
        runtimeHandlers: facts.runtimeHandlers,
        conditions: node.conditions(),
        notReady,
      },
      before,
      rfc3339(clock.now()),
    );
  };
  return { read, notReady: notReadyNow };
}

// Why the node takes no pods. Pure but for the time, which is passed in.

/** Milliseconds that a runtime may be silent before its node is not ready. */
const SILENT = 30_000;

class RuntimeHealth {
  #wellAt: number | undefined;

  /** `message`: the fault of the runtime, undefined when it has none; `now`: monotonic milliseconds. */
  heard(message: string | undefined, now: number): readonly string[] {
    if (message === undefined) {
      this.#wellAt = now;
      return [];
    }
    if (this.#wellAt === undefined) return [`container runtime status check may not have completed yet: ${message}`];
    return now - this.#wellAt > SILENT ? [`container runtime is down: ${message}`] : [];
  }
}
