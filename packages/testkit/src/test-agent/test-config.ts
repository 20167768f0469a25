import { type AgentConfig, defineRuntime } from "@hooklet/core/host";
import { type LoadedPlugin, type NodeConfig, rcSchema } from "@hooklet/core/internal";
import type { SimulatedRuntime } from "@hooklet/sim";
import { z } from "zod";

/** Options of the node as the rc file has them, where a test wants others. */
export type TestNodeOptions = Partial<NodeConfig>;

/** The node of tests, the same on every machine: node1 with 4 cores, 8 GiB, 100 GiB of disk and 110 pods. */
function testNodeConfig({ capacity, ...others }: TestNodeOptions): NodeConfig {
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

export interface TestConfigParts {
  readonly node: TestNodeOptions;
  readonly plugins: readonly LoadedPlugin[];
  readonly runtime: SimulatedRuntime;
}

/** A configuration without HTTP port and manifest folder. */
export function testConfig({ node, plugins, runtime }: TestConfigParts): Omit<AgentConfig, "rootDir" | "socket"> {
  const factory = defineRuntime({
    meta: { name: "simulated", api: 1 },
    options: z.strictObject({}),
    create: () => runtime,
  });
  return {
    port: 0,
    readOnlyPort: 0,
    readOnlySocket: null,
    node: testNodeConfig(node),
    sources: {
      manifests: null,
      manifestUrl: null,
      manifestUrlHeader: {},
      fileCheckFrequency: 20,
      httpCheckFrequency: 20,
      objects: ["manifests", "manifestUrl", "others"],
    },
    runtime: { factory, options: {}, specifier: "simulated" },
    plugins,
    effective: [],
  };
}
