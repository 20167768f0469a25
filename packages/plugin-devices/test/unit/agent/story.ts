/** A whole agent with the plugin, in virtual time, with device plugins that a test plugs in. */
import type { NodePlugin, OptionsSchema, Pod } from "@hooklet/core";
import {
  aContainer,
  aPod,
  bindSeam,
  SimulatedHost,
  startTestAgent,
  type TestAgent,
  type TestAgentOptions,
  VirtualClock,
} from "@hooklet/testkit";
import { devicesIo } from "../../../src/io.js";
import { plugin as devices } from "../../../src/plugin.js";
import type { AllocationStrategy } from "../../../src/strategies/allocation.js";
import { allocationStrategies } from "../../../src/strategies/built-in.js";
import { GPU } from "../../devices.js";
import { FakeIo } from "../fake-io.js";

const noOptions: OptionsSchema<object> = (z) => z.strictObject({});

export interface Story {
  readonly agent: TestAgent;
  readonly io: FakeIo;
}

/**
 * @param parts what else differs from a test agent; its plugins come after this one
 * @param strategy a way to allocate, as `allocation: own`
 */
export async function start(
  options: object = {},
  parts: TestAgentOptions = {},
  strategy: AllocationStrategy = () => [],
): Promise<Story> {
  const io = new FakeIo();
  const own = { description: "the test's", options: noOptions, create: () => strategy };
  const plugin: NodePlugin<never> = {
    ...(devices as NodePlugin<never>),
    strategies: { allocation: { ...allocationStrategies, own } },
  };
  const world = [bindSeam(devicesIo, () => io)];
  const agent = await startTestAgent({ ...parts, world, plugins: [[plugin, options], ...(parts.plugins ?? [])] });
  return { agent, io };
}

/** A machine with so many NUMA nodes. */
export function machineOf(nodes: number): SimulatedHost {
  const host = new SimulatedHost({ clock: new VirtualClock() });
  host.kernel.addFolder("/sys/devices/system/node/has_cpu");
  for (let index = 0; index < nodes; index++) host.kernel.addFolder(`/sys/devices/system/node/node${index}`);
  return host;
}

/** A pod of one container, `main`, with so many devices. */
export function user(name: string, gpus: number, container: object = {}, spec: object = {}): Pod {
  const resources = { limits: { [GPU]: String(gpus) }, requests: { [GPU]: String(gpus) } };
  return aPod({ name, spec, containers: [aContainer({ name: "main", resources, ...container })] });
}

export const phase = (agent: TestAgent, name: string): string | undefined => agent.pod(name).status?.phase;
export const runs = (agent: TestAgent, name: string): boolean => phase(agent, name) === "Running";

/** `hooklet get devices`: id, health, pod and container in one line each. */
export async function rows(agent: TestAgent): Promise<readonly string[]> {
  const view = await agent.api.view("devices");
  return view.rows.map(({ id, health, pod, container }) => [id, health, pod, container].join(" ").trim());
}

/** Applies the pod and lets time pass until it runs. */
export async function running(agent: TestAgent, pod: Pod): Promise<void> {
  await agent.apply(pod);
  await agent.waitFor(() => runs(agent, pod.metadata.name));
}
