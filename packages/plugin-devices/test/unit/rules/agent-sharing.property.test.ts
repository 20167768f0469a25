/** Pods, agents and plugins come and go while containers take their time to end: no device is shared, and none is lost. */
import { Labels } from "@hooklet/core";
import type { TestAgent } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { devices, GPU } from "../../devices.js";
import { rows, start, user } from "../agent/story.js";

type Step =
  | {
      readonly do: "apply";
      readonly pod: number;
      readonly gpus: number;
      readonly stubborn: boolean;
      readonly limited: boolean;
    }
  | { readonly do: "delete"; readonly pod: number }
  | { readonly do: "exit"; readonly pod: number }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "restart"; readonly without: readonly number[] };

const number = fc.integer({ min: 0, max: 4 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("apply" as const),
        pod: number,
        gpus: fc.integer({ min: 1, max: 2 }),
        stubborn: fc.boolean(),
        limited: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("delete", "exit"), pod: number }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 40 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("restart" as const), without: fc.array(number, { maxLength: 2 }) }),
    },
  ),
  { minLength: 4, maxLength: 14 },
);

/** The ids that each container which runs was started with. */
async function inContainers(agent: TestAgent): Promise<readonly string[]> {
  const running = (await agent.runtime.listContainers({})).filter(({ state }) => state === "CONTAINER_RUNNING");
  return running.flatMap(({ labels }) => {
    const config = agent.runtime.configOf(labels[Labels.podUid] ?? "", labels[Labels.containerName] ?? "");
    return (config.envs.find(({ key }) => key === "IDS")?.value ?? "").split(",").filter((id) => id !== "");
  });
}

async function play(script: readonly Step[]): Promise<void> {
  const { agent, io } = await start();
  try {
    await io.plug(GPU, devices(3));
    const applied = new Set<number>();
    const take = async (pod: number): Promise<void> => {
      if (applied.delete(pod)) await agent.delete(`p${pod}`);
    };
    for (const step of script) {
      if (step.do === "wait") await agent.advance(step.seconds * 1_000);
      else if (step.do === "delete") await take(step.pod);
      else if (step.do === "apply") {
        applied.add(step.pod);
        const container = step.stubborn ? { command: ["ignore-term"] } : {};
        const limit = step.limited ? { activeDeadlineSeconds: 20 } : {};
        await agent.apply(user(`p${step.pod}`, step.gpus, container, limit));
      } else if (step.do === "exit") {
        const known = agent.api.pods().find(({ metadata }) => metadata.name === `p${step.pod}`);
        const runs = known !== undefined && agent.runtime.running(known.metadata.uid).length > 0;
        if (known !== undefined && runs) agent.runtime.exit(known.metadata.uid, "main", 1);
      } else {
        await agent.restart(async () => {
          for (const pod of step.without) await take(pod);
        });
        await io.plug(GPU, devices(3));
      }
      const ids = await inContainers(agent);
      expect(ids).toEqual([...new Set(ids)]);
    }
    for (const pod of [...applied]) await take(pod);
    await agent.advance(120_000);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy", "gpu-1 Healthy", "gpu-2 Healthy"]);
  } finally {
    await agent.stop();
  }
}

test("no device is in two containers that run, and all are free in the end", async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 25 });
}, 120_000);
