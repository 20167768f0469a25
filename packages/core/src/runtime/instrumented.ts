/** The runtime with every call counted and timed under the kubelet's operation names. */
import type { Clock } from "@hooklet/utils";
import type { Runtime } from "./port.js";

const OPERATIONS: Partial<Record<keyof Runtime, string>> = {
  runSandbox: "run_podsandbox",
  stopSandbox: "stop_podsandbox",
  removeSandbox: "remove_podsandbox",
  listSandboxes: "list_podsandbox",
  sandboxStatus: "podsandbox_status",
  createContainer: "create_container",
  startContainer: "start_container",
  stopContainer: "stop_container",
  removeContainer: "remove_container",
  listContainers: "list_containers",
  containerStatus: "container_status",
  updateContainerResources: "update_container",
  execSync: "exec_sync",
  exec: "exec",
  streamUrl: "stream_url",
  imageStatus: "image_status",
  listImages: "list_images",
  pullImage: "pull_image",
  removeImage: "remove_image",
  imageFsInfo: "image_fs_info",
  listContainerStats: "list_container_stats",
};

/** Called at the end of each call. */
export interface OperationMetrics {
  runtimeOperation(operation: string, seconds: number, failed: boolean): void;
}

export function instrumented(runtime: Runtime, metrics: OperationMetrics, clock: Clock): Runtime {
  return new Proxy(runtime, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      const operation = OPERATIONS[key as keyof Runtime];
      if (operation === undefined) return member.bind(target);
      return async (...args: readonly unknown[]) => {
        const began = clock.monotonic();
        let failed = true;
        try {
          const result: unknown = await Reflect.apply(member, target, args);
          failed = false;
          return result;
        } finally {
          metrics.runtimeOperation(operation, (clock.monotonic() - began) / 1000, failed);
        }
      };
    },
  });
}
