/** What happens when the agent dies in the middle of a preemption, on real containers. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../support/agent.js";
import { deaf, LimitedNode } from "../support/limited-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const LIMIT = 300_000;

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
const limits = (cpu: string, memory: string) => ({ resources: { limits: { cpu, memory } } });

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: LimitedNode;

  beforeAll(async () => {
    runtime = await offer.start("preempt");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  const moments = [
    { moment: "while the last victim dies", begun: 3 },
    { moment: "while the first victim dies", begun: 1 },
  ];
  describe.each(moments)("an agent that is killed with -9 $moment", ({ begun }) => {
    const victims = ["a", "b", "c"];

    beforeAll(async () => {
      node = await LimitedNode.create(runtime);
      const victim = { ...requests("500m"), trap: deaf };
      await node.apply({ spared: limits("300m", "16Mi"), a: victim, b: victim, c: victim });
      await node.run("spared", ...victims);
      await node.place.manifest("crit.json", node.manifest("crit", requests("1500m")));
      await until("the kill has begun", async () => {
        const lines = await node.warnings();
        return lines.filter((line) => line.startsWith("Warning Preempting")).length >= begun;
      });
      await node.place.kill();
      await node.start();
    }, LIMIT);

    afterAll(() => node.place.remove(), LIMIT);

    test(
      "goes on: the same victims end, no other one, and the critical pod runs",
      async () => {
        await node.run("crit-node1", "spared");
        const after = await node.place.pods();
        const pod = (name: string) => after.find(({ metadata }) => metadata.name === name);
        for (const name of victims) {
          expect(pod(name)?.status).toMatchObject({ phase: "Failed", reason: "Preempting" });
          expect(node.processes(name)).toEqual([]);
        }
        expect(pod("spared")?.status.containerStatuses?.[0]?.restartCount).toBe(0);
        for (const name of ["spared", "crit"]) expect(node.processes(name)).not.toEqual([]);
      },
      LIMIT,
    );
  });
});
