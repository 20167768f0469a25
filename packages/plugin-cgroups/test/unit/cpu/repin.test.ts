import type { NodeContext } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { Repinning } from "../../../src/cpu/repin.js";
import { aPod } from "../world.js";

/** A node with pod `web`, whose container runs as `id`. */
function node() {
  const pod = aPod("web", [{}]);
  const world = { id: "a" as string | undefined, cpus: "0-3", fault: undefined as Error | undefined };
  const recorded: string[] = [];
  const warnings: string[] = [];
  const ctx = {
    pods: {
      active: () => [pod],
      running: () => (world.id === undefined ? undefined : { containerId: world.id }),
    },
    runtime: {
      updateContainerResources: async (id: string, { cpusetCpus }: { readonly cpusetCpus: string }) => {
        if (world.fault !== undefined) throw world.fault;
        recorded.push(`${id} ${cpusetCpus}`);
      },
    },
    log: { warn: (text: string) => warnings.push(text) },
  } as unknown as NodeContext;
  return { world, recorded, warnings, repinning: new Repinning(ctx, () => world.cpus) };
}

test("a container is updated with its CPUs once, and again when they change", async () => {
  const { world, recorded, repinning } = node();
  await repinning.run();
  await repinning.run();
  world.cpus = "2-3";
  await repinning.run();
  expect(recorded).toEqual(["a 0-3", "a 2-3"]);
});

test("a container that was started with its CPUs is not updated", async () => {
  const { recorded, repinning } = node();
  repinning.started("a", "0-3");
  await repinning.run();
  expect(recorded).toEqual([]);
});

test("the record of a container is removed with it", async () => {
  const { world, recorded, repinning } = node();
  await repinning.run();
  world.id = undefined;
  await repinning.run();
  world.id = "a";
  await repinning.run();
  expect(recorded).toEqual(["a 0-3", "a 0-3"]);
});

test("a refusal of the runtime is reported once for each reason, and retried", async () => {
  const { world, recorded, warnings, repinning } = node();
  world.fault = new Error("no such CPU");
  await repinning.run();
  await repinning.run();
  world.fault = undefined;
  await repinning.run();
  world.fault = new Error("no such CPU");
  world.cpus = "9";
  await repinning.run();
  const words = (cpus: string) => expect.stringMatching(`to CPUs ${cpus}: no such CPU; tried again$`);
  expect(warnings).toEqual([words("0-3"), words("9")]);
  expect(recorded).toEqual(["a 0-3"]);
});

test("an aborted run updates no container", async () => {
  const { recorded, repinning } = node();
  await repinning.run(AbortSignal.abort());
  expect(recorded).toEqual([]);
});
