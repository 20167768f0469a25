/** Two agents that believe to be the same node. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { allPids, commandOf } from "../../../scripts/machine.mjs";
import { until } from "../../support/agent.js";
import { deployment, Place, podTemplate, say } from "./cluster.js";
import { HookletNode } from "./nodes.js";

/** No runtime but the agent itself: two on one machine do not see each other's containers. */
const PROCESSES = { runtime: { use: "process" }, plugins: [["cgroups", false]] };

describe("a second agent with the same node name", () => {
  let first: HookletNode;
  let second: HookletNode;
  let place: Place;

  beforeAll(async () => {
    first = await HookletNode.create("worker1");
    await first.start();
    place = await Place.create("twins");
    await place.apply(deployment("web", 3));
    await place.ready("app=web", 3);
    // The same name and credentials, another root folder; its server would be in the way of the first one's.
    second = await HookletNode.create("worker1", {
      more: { server: null, ...PROCESSES },
    });
  }, 120_000);

  afterAll(async () => {
    await second?.end("SIGTERM");
    await place?.remove();
    await second?.remove();
    await first?.remove();
  }, 240_000);

  test("waits as long as the first one lives, reports why, and doubles nothing", async () => {
    const before = await place.pods("app=web");
    second.launch();
    await until("it says why", async () => second.log.includes("is held by another agent"), 60);
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const { stdout } = await second.hooklet("get", "pods", "-A", "-o", "json");
    expect((JSON.parse(stdout) as { items: readonly unknown[] }).items).toEqual([]);
    expect(second.podFolders()).toEqual([]);
    const shown = (pods: typeof before) =>
      pods.map(({ metadata, status }) => `${metadata.uid} ${status.containerStatuses?.[0]?.containerID}`).sort();
    expect(shown(await place.pods("app=web"))).toEqual(shown(before));
  }, 120_000);

  test("has no part in the cluster when it goes; the first one works on", async () => {
    await second.end("SIGKILL");
    await place.kubectl("scale", "deployment/web", "--replicas=4");
    await place.ready("app=web", 4);
  }, 90_000);
});

describe("an agent that was frozen for longer than its lease lasts, while another one has taken its node over", () => {
  /** Found among all processes of the machine. */
  const seconds = `864${process.pid}`;
  let first: HookletNode;
  let second: HookletNode;
  let place: Place;
  const running = (): number =>
    allPids().filter((pid) => {
      const [program, word] = commandOf(pid);
      return program === "sleep" && word === seconds;
    }).length;
  const containers = async (): Promise<readonly string[]> =>
    (await place.pods("app=web")).flatMap(({ status }) => status.containerStatuses?.[0]?.containerID ?? []).sort();
  const shown = async (node: HookletNode): Promise<readonly unknown[]> =>
    (JSON.parse((await node.hooklet("get", "pods", "-A", "-o", "json")).stdout) as { items: readonly unknown[] }).items;

  beforeAll(async () => {
    first = await HookletNode.create("frozen", { more: PROCESSES });
    await first.start();
    place = await Place.create("frozen");
    const sleeper = { image: "host", command: ["sleep", seconds] };
    await place.apply(deployment("web", 2, podTemplate("web", sleeper, { hostNetwork: true, nodeName: "frozen" })));
    await place.ready("app=web", 2);
    second = await HookletNode.create("frozen", { more: { server: null, ...PROCESSES } });
  }, 120_000);

  afterAll(async () => {
    if (first !== undefined) process.kill(first.pid, "SIGCONT");
    await place?.remove();
    await second?.remove();
    await first?.remove();
  }, 240_000);

  test("ends its own copies when it wakes, and reports nothing about the pods of the other one", async () => {
    const before = await containers();
    process.kill(first.pid, "SIGSTOP");
    second.launch();
    const others = async (): Promise<boolean> => {
      const now = await containers();
      return now.length === 2 && now.every((id) => !before.includes(id));
    };
    await until("the other one runs the pods", others, 120);
    await place.ready("app=web", 2);
    const theirs = await containers();
    expect(running()).toBe(4);
    const began = Date.now();
    process.kill(first.pid, "SIGCONT");
    await until(
      () => `the copies have ended; ${first.log.slice(-1500)}`,
      async () => running() === 2,
      90,
    );
    say(`2 copies ended ${Date.now() - began} ms after the agent woke`);
    for (const end = Date.now() + 25_000; Date.now() < end; ) {
      expect(await containers()).toEqual(theirs);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await place.ready("app=web", 2, 1);
    expect([running(), await shown(first), (await shown(second)).length]).toEqual([2, [], 2]);
    expect(first.log).toContain("was taken over by another agent");
  }, 300_000);

  test("has the node again once the other one is gone, and runs what is bound to it then", async () => {
    await place.kubectl("scale", "deployment/web", "--replicas=0");
    await until("they are gone", async () => (await place.pods("app=web")).length === 0 && running() === 0, 60);
    await second.end("SIGTERM");
    await place.kubectl("scale", "deployment/web", "--replicas=2");
    await place.ready("app=web", 2, 120);
    expect([running(), (await shown(first)).length]).toEqual([2, 2]);
  }, 240_000);
});
