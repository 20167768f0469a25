import type { Clock } from "@hooklet/core";
import { createNodePorts, Node, type NodeConfig, type NodePorts, rcSchema } from "@hooklet/core/host";

const GIB = 1024 ** 3;

/** Options of the node as the rc file has them, where a test wants others. */
export type TestNodeOptions = Partial<NodeConfig>;

/** The node of tests, the same on every machine: node1 with 4 cores, 8 GiB, 100 GiB of disk and 110 pods. */
export function testNodeConfig(options: TestNodeOptions = {}): NodeConfig {
  const { capacity, ...others } = options;
  const node = rcSchema.shape.node.parse({
    name: "node1",
    ip: "192.0.2.10",
    evictionHard: {},
    clusterDNS: ["10.0.0.53"],
    clusterDomain: "cluster.local",
    ...others,
    capacity: { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", ...capacity },
  });
  return node as NodeConfig;
}

/** The same as plugins see it. */
export function testNodePorts(options: TestNodeOptions, rootDir: string, clock: Clock): NodePorts {
  const node = new Node({
    config: testNodeConfig(options),
    rootDir,
    machine: { cpus: 4, memoryBytes: 8 * GIB, diskBytes: 100 * GIB, hugePages: [] },
    platform: { os: "linux", arch: "amd64" },
    address: "192.0.2.10",
  });
  return createNodePorts(node, clock, (where, error) => {
    throw new Error(where, { cause: error });
  });
}
