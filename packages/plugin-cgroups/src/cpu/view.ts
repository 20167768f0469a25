/** `hooklet get cpus`: each processor, where it is, and whose. */
import { namespacedName, type PodsPort, type View, type ViewRow } from "@hooklet/core";
import type { CpuManager } from "./cpu-manager.js";

/** No rows with cpuManagerPolicy none. */
export function cpusView(cpus: CpuManager | undefined, pods: Pick<PodsPort, "get">): View {
  const columns = ["cpu", "core", "socket", "numa node", "pool", "pod", "container"].map((name) => ({ name }));
  return {
    description: "Processors of the node: shared, reserved, or a container's own (cpuManagerPolicy static)",
    columns,
    rows: () => (cpus === undefined ? [] : rowsOf(cpus, pods)),
  };
}

function rowsOf({ policy }: CpuManager, pods: Pick<PodsPort, "get">): ViewRow[] {
  const owners = new Map<number, { readonly pod: string; readonly containers: string[] }>();
  for (const [uid, containers] of policy.state.assignments) {
    const metadata = pods.get(uid)?.metadata;
    const pod = metadata === undefined ? uid : namespacedName(metadata);
    for (const [name, own] of containers) {
      for (const cpu of own) {
        const owner = owners.get(cpu) ?? { pod, containers: [] };
        owner.containers.push(name);
        owners.set(cpu, owner);
      }
    }
  }
  return [...policy.topology.cpus].map((cpu) => {
    const place = policy.topology.place(cpu);
    const owner = owners.get(cpu);
    const pool = owner === undefined ? (policy.reserved.has(cpu) ? "reserved" : "shared") : "exclusive";
    return {
      cpu,
      core: place?.core ?? null,
      socket: place?.socket ?? null,
      "numa node": place?.node ?? null,
      pool,
      pod: owner?.pod ?? "",
      container: owner?.containers.join(", ") ?? "",
    };
  });
}
