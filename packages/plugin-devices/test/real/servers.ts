/** Real sockets in a folder of their own, with the manager behind them and no agent around. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NodeContext, sleep } from "@hooklet/core";
import type { HintProvider } from "@hooklet/core/subsystem";
import { systemClock } from "@hooklet/utils";
import { pino } from "pino";
import { realIo } from "../../src/io.js";
import type { DeviceManager } from "../../src/manager/device-manager.js";
import { createMetrics } from "../../src/metrics.js";
import { PluginServers } from "../../src/plugin-servers.js";
import { managerOf } from "../devices.js";

export interface TestServers {
  readonly folder: string;
  readonly manager: DeviceManager;
  readonly servers: PluginServers;
  readonly recorded: string[];
  readonly active: Set<string>;
  /** The clock of the agent's calls: by how many milliseconds it is behind that of gRPC, and when it stands still. */
  readonly clock: { behind: number; stands: number | undefined };
  stop(): Promise<void>;
}

export async function startServers(
  pods: Partial<NodeContext["pods"]> = {},
  cpus: readonly Partial<HintProvider>[] = [],
): Promise<TestServers> {
  const folder = await mkdtemp(join(tmpdir(), "hkd-"));
  const { manager, world } = managerOf({ now: () => systemClock.monotonic() });
  const recorded: string[] = [];
  const lag: TestServers["clock"] = { behind: 0, stands: undefined };
  const clock = {
    ...systemClock,
    now: () => systemClock.now() - lag.behind,
    monotonic: () => lag.stands ?? systemClock.monotonic(),
  };
  const nothing = { inc: () => {}, set: () => {}, observe: () => {}, remove: () => {} };
  const ctx = {
    clock,
    log: pino({ level: "silent" }),
    events: { node: (_: string, reason: string, message: string) => void recorded.push(`${reason}: ${message}`) },
    pods: { active: () => [], list: () => [], ...pods },
    node: { hintProviders: () => cpus },
    signal: new AbortController().signal,
  } as unknown as NodeContext;
  const metrics = createMetrics({ counter: () => nothing, gauge: () => nothing, histogram: () => nothing } as never);
  const folders = {
    devicePlugins: join(folder, "dp"),
    pluginRegistry: join(folder, "reg"),
    podResources: join(folder, "pr"),
  };
  const events = { reported: () => {}, changed: () => {} };
  const servers = new PluginServers(ctx, folders, realIo(clock), manager, metrics, events);
  await servers.open();
  return {
    folder: folders.devicePlugins,
    manager,
    servers,
    recorded,
    active: world.active,
    clock: lag,
    async stop() {
      await servers.stop();
      manager.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until it is so; the test's own time-out ends it. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await sleep(systemClock, 10);
}
