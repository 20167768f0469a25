import { join } from "node:path";
import { type AgentConfig, defineRuntime, type LoadedPlugin } from "@hooklet/core/host";
import { z } from "zod";
import type { SimulatedRuntime } from "../simulated-runtime.js";
import { type TestNodeOptions, testNodeConfig } from "../test-node.js";

export interface TestConfigParts {
  readonly rootDir: string;
  readonly node: TestNodeOptions;
  readonly plugins: readonly LoadedPlugin[];
  readonly runtime: SimulatedRuntime;
}

/** A configuration without socket users, HTTP port and manifest folder. */
export function testConfig({ rootDir, node, plugins, runtime }: TestConfigParts): AgentConfig {
  const factory = defineRuntime({
    meta: { name: "simulated", api: 1 },
    options: z.strictObject({}),
    create: () => runtime,
  });
  return {
    rootDir,
    socket: join(rootDir, "hooklet.sock"),
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
    },
    runtime: { factory, options: {}, specifier: "simulated" },
    plugins,
    effective: [],
  };
}
