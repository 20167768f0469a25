/** The whole agent on a machine that goes down, in virtual time. */
import { type Pod, sleep } from "@hooklet/core";
import { aContainer, aPod, bindSeam, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import plugin, { logind as login1 } from "../../../src/index.js";
import { FakeLogind } from "../fake-logind.js";

let logind: FakeLogind;
let agent: TestAgent;

const options = { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" };

beforeEach(() => {
  logind = new FakeLogind();
});

async function start(given: object = options): Promise<void> {
  agent = await startTestAgent({ plugins: [[plugin, given]], world: [bindSeam(login1, logind)] });
  await agent.advance(10_000);
}

const pod = (name: string, more: object = {}): Pod => {
  const made = aPod({ name, uid: `uid-${name}`, containers: [aContainer({ name: "main", image: "web:1" })] });
  return { ...made, spec: { ...made.spec, terminationGracePeriodSeconds: 5, ...more } } as Pod;
};
const critical = { priority: 2_000_000_000, priorityClassName: "system-cluster-critical" };
const shown = (name: string) => agent.api.pods().find(({ metadata }) => metadata.name === name);
const runs = (name: string) => shown(name)?.status?.phase === "Running";
const ready = () => agent.api.node().then(({ conditions }) => conditions.find(({ type }) => type === "Ready"));
const said = () =>
  agent.api
    .events()
    .filter(({ reason }) => reason === "Shutdown")
    .map(({ message }) => message);

/** Names of the pods in the order in which they end. */
function endings(...names: readonly string[]): readonly string[] {
  const ended: string[] = [];
  agent.api.watchPods(() => {
    for (const name of names) {
      if (shown(name)?.status?.phase === "Failed" && !ended.includes(name)) ended.push(name);
    }
  });
  return ended;
}

test("without the option no shutdown is delayed", async () => {
  await start({});
  expect([logind.held, logind.asked]).toEqual([0, 0]);
});

test("a shutdown is delayed until all pods have ended, critical ones last; each has the kubelet's reason", async () => {
  await start();
  expect([logind.held, logind.delay]).toEqual([1, 30]);
  await agent.apply(pod("web", { terminationGracePeriodSeconds: 60 }));
  await agent.apply(pod("dns", critical));
  await agent.waitFor(() => runs("web") && runs("dns"));
  const ended = endings("web", "dns");
  logind.prepare(true);
  await agent.waitFor(() => logind.held === 0, 60_000);
  expect(ended).toEqual(["web", "dns"]);
  for (const name of ["web", "dns"]) {
    expect(shown(name)?.status).toMatchObject({
      phase: "Failed",
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown.",
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "DisruptionTarget",
          status: "True",
          reason: "TerminationByKubelet",
          message: "Pod was terminated in response to imminent node shutdown.",
        }),
      ]),
    });
  }
  expect(agent.api.events().filter(({ type, reason }) => type === "Warning" && reason === "Terminated")).toEqual([]);
  expect(said()).toEqual(["Shutdown manager detected shutdown event"]);
});

test("while the machine goes down the node is not ready, and takes no pod", async () => {
  await start();
  logind.prepare(true);
  await agent.advance(100);
  expect(await ready()).toMatchObject({ status: "False", reason: "KubeletNotReady", message: "node is shutting down" });
  await agent.apply(pod("late"));
  await agent.waitFor(() => shown("late")?.status?.phase === "Failed");
  expect(shown("late")?.status).toMatchObject({
    reason: "NodeShutdown",
    message: "Pod was rejected: Pod was rejected as the node is shutting down.",
  });
});

test("a shutdown that is called off is forgotten: pods are taken again, and the next one is held up", async () => {
  await start();
  logind.prepare(true);
  await agent.waitFor(() => logind.held === 0);
  logind.prepare(false);
  await agent.waitFor(() => logind.held === 1);
  expect(await ready()).toBeUndefined();
  expect(said()).toEqual([
    "Shutdown manager detected shutdown event",
    "Shutdown manager detected shutdown cancellation",
  ]);
  await agent.apply(pod("web"));
  await agent.waitFor(() => runs("web"));
});

test("pods go by priority, group after group, none before the one below it has had its time", async () => {
  const by = [
    { priority: 100, shutdownGracePeriodSeconds: 4 },
    { priority: 0, shutdownGracePeriodSeconds: 6 },
  ];
  await start({ shutdownGracePeriodByPodPriority: by });
  expect(logind.delay).toBe(10);
  await agent.apply(pod("low"));
  await agent.apply(pod("high", { priority: 100 }));
  await agent.waitFor(() => runs("low") && runs("high"));
  const ended = endings("low", "high");
  logind.prepare(true);
  await agent.waitFor(() => logind.held === 0, 60_000);
  expect(ended).toEqual(["low", "high"]);
});

test("a signal that logind did not send stops no pod", async () => {
  await start();
  await agent.apply(pod("web"));
  await agent.waitFor(() => runs("web"));
  logind.signal();
  await agent.advance(60_000);
  expect([runs("web"), logind.held, said().length]).toEqual([true, 1, 0]);
});

test("after a lost bus connection it listens again, with a new lock", async () => {
  await start();
  logind.cut();
  await agent.advance(10_000);
  expect(logind.held).toBe(1);
  logind.prepare(true);
  await agent.waitFor(() => logind.held === 0);
});

test("a bus that goes away in the middle of a shutdown changes nothing of it: all pods end in order, and the lock goes then", async () => {
  const containers = [aContainer({ name: "main", image: "web:1", command: ["ignore-term"] })];
  await start();
  await agent.apply(pod("web", { containers }));
  await agent.apply(pod("dns", { containers, ...critical }));
  await agent.waitFor(() => runs("web") && runs("dns"));
  const ended = endings("web", "dns");
  logind.prepare(true);
  await agent.advance(1_000);
  logind.cut();
  await agent.advance(1_000);
  expect([ended, logind.held]).toEqual([["web"], 1]);
  await agent.waitFor(() => logind.held === 0, 60_000);
  expect(ended).toEqual(["web", "dns"]);
  expect(said()).toEqual(["Shutdown manager detected shutdown event"]);
  logind.prepare(false);
  await agent.waitFor(() => logind.held === 1, 60_000);
});

test("a shutdown that is announced before the listener receives signals is detected anyway", async () => {
  agent = await startTestAgent({ plugins: [[plugin, options]], world: [bindSeam(login1, logind)] });
  await agent.advance(1_000);
  logind.goesDown = true;
  await agent.advance(3_000);
  expect(said()).toEqual(["Shutdown manager detected shutdown event"]);
});

test("a shutdown that is under way when the agent comes is seen, though logind gives no lock any more; once it is called off the next one is held up", async () => {
  logind.goesDown = true;
  await start();
  expect([said(), logind.held]).toEqual([["Shutdown manager detected shutdown event"], 0]);
  expect(await ready()).toMatchObject({ status: "False", message: "node is shutting down" });
  logind.prepare(false);
  await agent.waitFor(() => logind.held === 1);
  expect(await ready()).toBeUndefined();
});

test("a shutdown that is called off before it is seen costs the next one nothing", async () => {
  const answers = [true, true];
  logind.isGoingDown = async () => answers.shift() ?? logind.goesDown;
  await start();
  expect([said(), logind.held]).toEqual([[], 1]);
});

test("a lock that was released from outside is taken again", async () => {
  await start();
  logind.dropLocks();
  await agent.advance(10_000);
  expect(logind.held).toBe(1);
});

test("without logind it reports that once, retries from time to time, and finds one that comes", async () => {
  logind.isThere = false;
  await start();
  await agent.advance(3_600_000);
  expect(logind.asked).toBeLessThan(40);
  const { parts } = await agent.api.health();
  expect(JSON.stringify(parts)).toContain("spawn busctl ENOENT");
  logind.isThere = true;
  await agent.advance(600_000);
  expect(logind.held).toBe(1);
});

test("a logind with a shorter delay than the pods need is reported, not trusted", async () => {
  logind.grants = () => 7;
  await start();
  const { parts } = await agent.api.health();
  expect(JSON.stringify(parts)).toContain(
    "node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 30s (ShutdownGracePeriod), current value is 7s",
  );
});

test("a pod that its source still wants runs again when the machine is up again", async () => {
  await start();
  await agent.apply(pod("web"));
  await agent.waitFor(() => runs("web"));
  logind.prepare(true);
  await agent.waitFor(() => logind.held === 0);
  logind.goesDown = false;
  await agent.restart();
  await agent.waitFor(() => runs("web"), 60_000);
});

test("an agent that is restarted in the middle of a shutdown stops running pods in order, and starts none", async () => {
  const periods = [0, 1_000, 2_000, 2_000_000_000].map((priority) => ({ priority, shutdownGracePeriodSeconds: 10 }));
  await start({ shutdownGracePeriodByPodPriority: periods });
  await agent.apply(pod("web"));
  const containers = [aContainer({ name: "main", image: "db:1", command: ["ignore-term"] })];
  await agent.apply(pod("batch", { priority: 1_000, containers }));
  await agent.apply(pod("db", { priority: 2_000, containers }));
  await agent.apply(pod("dns", critical));
  await agent.waitFor(() => ["web", "batch", "db", "dns"].every(runs));
  // As long as two processes take.
  const { clock } = agent;
  logind.isGoingDown = () => sleep(clock, 500).then(() => logind.goesDown);
  logind.prepare(true);
  await agent.waitFor(() => shown("web")?.status?.phase === "Failed");
  // The batch job is being stopped.
  await agent.restart();
  const ended = endings("db", "dns");
  await agent.waitFor(() => ended.length === 2, 60_000);
  expect(ended).toEqual(["db", "dns"]);
  for (const name of ["db", "dns"]) expect(shown(name)?.status?.reason).toBe("Terminated");
  expect(shown("web")?.status?.reason).toBe("NodeShutdown");
  await agent.restart();
  await agent.advance(60_000);
  for (const name of ["web", "batch", "db", "dns"]) expect(shown(name)?.status?.reason).toBe("NodeShutdown");
});

test("a logind that has no answer holds the start of the agent up for two seconds, not for good", async () => {
  const clock = new VirtualClock();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  logind.isGoingDown = () => answered.then(() => logind.goesDown);
  const began = clock.monotonic();
  agent = await startTestAgent({ clock, plugins: [[plugin, options]], world: [bindSeam(login1, logind)] });
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(2_000);
  await agent.apply(pod("web"));
  await agent.waitFor(() => runs("web"));
  answer();
  await agent.waitFor(() => logind.held === 1);
});
