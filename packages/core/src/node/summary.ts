/** `/stats/summary?only_cpu_and_memory=true`, as the kubelet cuts it (GetCPUAndMemoryStats). Pure. */
import type { ContainerStatistics, NodeStatistics } from "../plugin/contract/statistics.js";

export function cpuAndMemoryOnly({ node, pods }: NodeStatistics): NodeStatistics {
  return {
    node: {
      nodeName: node.nodeName,
      startTime: node.startTime,
      ...(node.systemContainers && { systemContainers: node.systemContainers.map(ofContainer) }),
      ...(node.cpu && { cpu: node.cpu }),
      ...(node.memory && { memory: node.memory }),
      ...(node.swap && { swap: node.swap }),
    },
    pods: pods.map(({ podRef, startTime, containers, cpu, memory, swap }) => ({
      podRef,
      startTime,
      containers: containers.map(ofContainer),
      ...(cpu && { cpu }),
      ...(memory && { memory }),
      ...(swap && { swap }),
    })),
  };
}

function ofContainer({ name, startTime, cpu, memory, swap }: ContainerStatistics): ContainerStatistics {
  return { name, startTime, ...(cpu && { cpu }), ...(memory && { memory }), ...(swap && { swap }) };
}
