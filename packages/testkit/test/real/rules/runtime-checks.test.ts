import { SimulatedRuntime, VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { containerChecks } from "../../../src/runtime-suite/container-checks.js";
import { execChecks } from "../../../src/runtime-suite/exec-checks.js";
import type { RuntimeHarness } from "../../../src/runtime-suite/harness.js";
import { eventChecks, nodeChecks } from "../../../src/runtime-suite/node-checks.js";
import { mountChecks, processChecks } from "../../../src/runtime-suite/process-checks.js";
import { simulatedPrograms } from "../../../src/runtime-suite/programs.js";
import { World } from "../../../src/runtime-suite/runtime-world.js";
import { sandboxChecks } from "../../../src/runtime-suite/sandbox-checks.js";
import { restartChecks, stopChecks } from "../../../src/runtime-suite/stop-checks.js";

const groups = [
  sandboxChecks,
  containerChecks,
  stopChecks,
  processChecks,
  mountChecks,
  execChecks,
  nodeChecks,
  eventChecks,
  restartChecks,
];

type Change = (runtime: SimulatedRuntime) => Partial<SimulatedRuntime>;

/** The rules that the simulated runtime breaks once it is changed. */
async function broken(change: Change): Promise<readonly string[]> {
  const failed: string[] = [];
  const checks: { rule: string; run: (world: World) => Promise<void> }[] = [];
  for (const group of groups) group((rule, run) => checks.push({ rule, run }));
  for (const { rule, run } of checks) {
    const world = await World.make(harness(change));
    await run(world).catch(() => failed.push(rule));
    await world.cleanUp();
  }
  return failed;
}

function harness(change: Change): RuntimeHarness {
  const clock = new VirtualClock();
  let runtime: SimulatedRuntime | undefined;
  return {
    open: () => {
      runtime ??= new SimulatedRuntime({ clock, images: [{ names: ["box:1"] }], writeLogs: true });
      return Object.assign(runtime, change(runtime));
    },
    programs: simulatedPrograms("box:1"),
    powers: { mounts: true, users: true, pulls: true, resources: true, events: true },
    clock,
    pass: (milliseconds) => clock.advance(milliseconds),
  };
}

test("the unchanged runtime breaks no rule", async () => {
  expect(await broken(() => ({}))).toEqual([]);
});

const faults: readonly { name: string; change: Change; rule: string }[] = [
  {
    name: "ignores the pod in lists",
    change: (runtime) => ({ listContainers: SimulatedRuntime.prototype.listContainers.bind(runtime, {}) }),
    rule: "containers are listed by pod and by sandbox",
  },
  {
    name: "kills without a grace period",
    change: (runtime) => ({ stopContainer: (id) => SimulatedRuntime.prototype.stopContainer.call(runtime, id, 0) }),
    rule: "a container that obeys TERM ends with its own exit code, long before its grace is over",
  },
  {
    name: "resolves stop before the container has ended",
    change: (runtime) => ({
      stopContainer: async (id, grace) => {
        SimulatedRuntime.prototype.stopContainer.call(runtime, id, grace).catch(() => {});
      },
    }),
    rule: "a container that ignores TERM is killed when its grace is over, and not before",
  },
  {
    name: "reports every exit code as 0",
    change: (runtime) => ({
      containerStatus: async (id) => ({
        ...(await SimulatedRuntime.prototype.containerStatus.call(runtime, id)),
        exitCode: 0,
      }),
    }),
    rule: "a program that ends with 3 leaves exit code 3 and reason Error",
  },
  {
    name: "forgets the end of containers over a restart of the agent",
    change: (runtime) => ({
      containerStatus: async (id) => {
        const status = await SimulatedRuntime.prototype.containerStatus.call(runtime, id);
        return runtime.calls.start > 1 ? { ...status, finishedAt: 0n } : status;
      },
    }),
    rule: "a container that had ended before keeps all of its status, and a removed one stays removed",
  },
  {
    name: "has no timeout in execSync",
    change: (runtime) => ({
      execSync: (id, command) => SimulatedRuntime.prototype.execSync.call(runtime, id, command, 0),
    }),
    rule: "execSync past its timeout is refused as deadline-exceeded, and the container runs on",
  },
  {
    name: "refuses a second removal",
    change: (runtime) => ({
      removeContainer: async (id) => {
        await runtime.containerStatus(id);
        await SimulatedRuntime.prototype.removeContainer.call(runtime, id);
      },
    }),
    rule: "a removed container is unknown and listed no more; removing may be repeated",
  },
  {
    name: "mixes up the words of arguments",
    change: (runtime) => ({
      createContainer: (id, config, sandbox) =>
        SimulatedRuntime.prototype.createContainer.call(
          runtime,
          id,
          { ...config, args: config.args.flatMap((word) => word.split(" ")) },
          sandbox,
        ),
    }),
    rule: "arguments arrive word for word, with nothing expanded or split",
  },
];

test.each(faults)("a runtime that $name is found out", async ({ change, rule }) => {
  expect(await broken(change)).toContain(rule);
});
