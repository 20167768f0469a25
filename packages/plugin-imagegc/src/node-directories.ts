/** The node as the sweep of pod directories asks it. */
import type { NodeContext } from "@hooklet/core";
import type { ContainerPorts } from "./containers/collector.js";
import type { DirectoryPorts } from "./directories/sweep.js";

export function nodeDirectories(
  { pods }: Pick<NodeContext, "pods">,
  node: Pick<ContainerPorts, "pods" | "containers" | "sandboxes">,
): DirectoryPorts {
  return {
    pods: () => node.pods(),
    directories: () => pods.directories(),
    directory: (uid) => pods.directory(uid),
    removeDirectory: (uid) => pods.removeDirectory(uid),
    async running() {
      const containers = (await node.containers()).filter(({ state }) => state !== "exited");
      const sandboxes = (await node.sandboxes()).filter(({ ready }) => ready);
      return new Set([...containers, ...sandboxes].map(({ podUid }) => podUid));
    },
  };
}
