import type { ContainerStatus, RuntimeEvent } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { PodWorker } from "../../../../src/pod/life/worker.js";
import type { PodEvent } from "../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

const sidecar = aContainer("setup", { restartPolicy: "Always" } as never);
const pod = aPod({ initContainers: [sidecar], ephemeralContainers: [{ name: "debug" }] } as never);

let clock: VirtualClock;
let log: string[];
let asked: string[];
let answer: (id: string) => Promise<ContainerStatus>;
let sandbox: () => Promise<object>;
beforeEach(() => {
  clock = new VirtualClock({ start: 30_000 });
  log = [];
  asked = [];
  answer = async () => running();
  sandbox = async () => aSandbox();
});

const running = (name = "main", attempt = 0): ContainerStatus => anExit({ state: "CONTAINER_RUNNING" }, name, attempt);

function worker(more: object = {}) {
  const events: PodEvent["type"][] = [];
  const own = new PodWorker({
    pod,
    idPrefix: "test",
    startTime: 30_000,
    onChange: () => undefined,
    onGone: () => undefined,
    ...more,
    ports: {
      clock,
      node: { ip: "192.0.2.1" },
      volumes: { canReadOnlyRecursively: () => false, terminationLog: () => "/nonexistent" },
      metrics: { terminatedContainer: (...of: unknown[]) => log.push(`ended ${of.join(" ")}`) },
      events: { pod: (_: object, ...of: unknown[]) => log.push(of.join(" | ")) },
      log: { debug: (_: object, text: string) => log.push(text) },
      report: (where: string, error: Error) => log.push(`${where}: ${error.message}`),
      runtime: {
        logFormat: "raw",
        containerStatus: (id: string) => {
          asked.push(id);
          return answer(id);
        },
        sandboxStatus: async () => sandbox(),
      },
    } as never,
  });
  return { own, events };
}

const up: readonly PodEvent[] = [
  { type: "admitted" },
  { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
];
async function started(...names: readonly string[]): Promise<PodWorker> {
  const { own } = worker();
  for (const event of up) own.dispatch(event);
  for (const name of names) await own.take(running(name));
  return own;
}
const event = (type: RuntimeEvent["type"], containerId: string): RuntimeEvent =>
  ({ type, containerId, podUid: "u" }) as never;

describe("news of the runtime", () => {
  test("of a container that starts, or runs as it is known, are none", async () => {
    const own = await started("main");
    expect(own.knows(event("CONTAINER_STARTED", "main-0"))).toBe(true);
    expect(own.knows(event("CONTAINER_STARTED", "main-1"))).toBe(false);
    expect(own.knows(event("CONTAINER_STOPPED", "main-0"))).toBe(false);
    own.dispatch({ type: "starting", container: "setup", now: 0 });
    expect(own.knows(event("CONTAINER_STARTED", "setup-0"))).toBe(true);
  });

  test("of an end that is known are none", async () => {
    const own = await started("main");
    expect([own.isRunning("main-0"), own.isRunning("main-1")]).toEqual([true, false]);
    await own.take(anExit());
    expect(own.knows(event("CONTAINER_STOPPED", "main-0"))).toBe(true);
    expect(own.knows(event("CONTAINER_STOPPED", "main-1"))).toBe(false);
    expect(own.knows(event("CONTAINER_CREATED", "main-0"))).toBe(false);
    expect(own.isRunning("main-0")).toBe(false);
  });

  test("of an end whose status is being read wait for that answer; later ones ask again", async () => {
    const own = await started("main");
    let give: (status: ContainerStatus) => void = () => undefined;
    answer = () => new Promise((resolve) => (give = resolve));
    const both = Promise.all([own.refresh("main-0"), own.refreshEnded("main-0")]);
    give(anExit());
    await both;
    expect([asked, own.state.containers.main?.kind]).toEqual([["main-0"], "exited"]);
    answer = async () => anExit();
    await own.refreshEnded("main-0");
    expect(asked).toEqual(["main-0", "main-0"]);
  });

  test("that cannot be read leave nothing behind", async () => {
    const own = await started("main");
    answer = () => Promise.reject(new Error("away"));
    await expect(own.refreshEnded("main-0")).rejects.toThrow("away");
    answer = async () => anExit();
    await own.refreshEnded("main-0");
    expect(own.isRunning("main-0")).toBe(false);
  });

  test("of the sandbox end it when it is not ready any more", async () => {
    const own = await started();
    await own.checkSandbox();
    expect(own.state.sandbox.kind).toBe("ready");
    sandbox = async () => aSandbox({ state: "SANDBOX_NOTREADY" });
    await own.checkSandbox();
    expect(own.state.sandbox).toEqual({ kind: "dead", id: "s0", attempt: 0 });
  });

  test("of the sandbox are none once the pod is being stopped", async () => {
    const own = await started();
    own.dispatch({ type: "terminate", cause: { kind: "deleted" }, at: 0 });
    sandbox = async () => aSandbox({ state: "SANDBOX_NOTREADY" });
    await own.checkSandbox();
    expect(own.state.sandbox.kind).toBe("ready");
  });
});

describe("the end of a container", () => {
  test.each([
    ["main", "container"],
    ["setup", "init_container"],
    ["debug", "ephemeral_container"],
  ])("of %s is counted as that of a %s, once", async (name, type) => {
    const own = await started(name);
    for (let seen = 0; seen < 2; seen++) await own.take(anExit({}, name));
    expect(log.filter((line) => line.startsWith("ended"))).toEqual([`ended ${type} 7 Error`]);
  });

  test("that was there before this agent is not counted", async () => {
    const own = await started();
    await own.take(anExit());
    expect(log).toEqual([]);
  });

  test("in a sandbox that is gone is no end in this one", async () => {
    const own = await started("main");
    await own.take(anExit({ sandboxId: "s9" }));
    expect(own.state.containers.main).toMatchObject({ kind: "exited", exit: { stale: true } });
    const other = await started("main");
    await other.take(anExit());
    expect(other.state.containers.main).not.toHaveProperty("exit.stale");
  });

  test("after which it waits for its back-off is the kubelet's event", async () => {
    const own = await started("main");
    own.dispatch({ type: "backOffKnown", container: "main", backOff: { window: 20_000, startedAt: 0 } });
    await own.take(anExit());
    const name = "web-node1_default(0123456789abcdef0123456789abcdef)";
    expect(log).toEqual([
      "ended container 7 Error",
      `Warning | BackOff | Back-off restarting failed container main in pod ${name} | main`,
      `back-off 20s restarting failed container=main pod=${name}`,
    ]);
  });
});

describe("the pod as it is shown", () => {
  test("is the same frozen object until something changes", async () => {
    const own = await started();
    const before = own.shown;
    expect([own.shown, Object.isFrozen(before), before.status?.phase]).toEqual([before, true, "Pending"]);
    own.dispatch({ type: "backOffKnown", container: "main", backOff: { window: 1, startedAt: 0 } });
    expect(own.shown).toBe(before);
    await own.take(running());
    expect(own.shown).not.toBe(before);
    expect(own.shown.status?.containerStatuses).toMatchObject([{ name: "main", containerID: "test://main-0" }]);
  });

  test("began when an earlier agent took the pod, and not in the future", () => {
    expect(worker({ startTime: 10_000 }).own.state).toMatchObject({ startTime: 10_000, startedMonotonic: -20_000 });
    expect(worker({ startTime: 99_000 }).own.state).toMatchObject({ startTime: 99_000, startedMonotonic: 0 });
  });

  test("of an earlier agent is reported once it is admitted or stopped", async () => {
    const { own } = worker();
    expect(own.isReported).toBe(true);
    await own.takeOver(async () => []);
    expect(own.isReported).toBe(false);
    own.dispatch({ type: "admitted" });
    expect(own.isReported).toBe(true);
  });

  test("is renewed though who hears of it fails", () => {
    const { own } = worker({
      onChange: () => {
        throw new Error("boom");
      },
    });
    own.dispatch({ type: "admitted" });
    expect(own.state.life.kind).toBe("active");
    expect(log).toEqual(["change of pod web-node1_default(0123456789abcdef0123456789abcdef): boom"]);
  });
});
