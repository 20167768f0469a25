import type { Sandbox } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { AdmissionVerdict } from "../../../../src/hooks/verdict.js";
import { StepRunner } from "../../../../src/pod/life/steps.js";
import { next } from "../../../../src/pod/next.js";
import { initialState, type PodEvent, type PodState } from "../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

let clock: VirtualClock;
let log: unknown[];
let state: PodState;
let stop: AbortController;
let sandboxState: Sandbox["state"];
/** What happens to the pod while it is admitted. */
let meanwhile: () => void;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  state = initialState(aPod(), 0, 0);
  stop = new AbortController();
  sandboxState = "SANDBOX_READY";
  meanwhile = () => undefined;
});

const happened = (...events: readonly PodEvent[]): void => {
  state = events.reduce(next, state);
};
const terminate: PodEvent = { type: "terminate", cause: { kind: "deleted" }, at: 0 };
const ready: PodEvent = { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 };
const running: PodEvent = {
  type: "observed",
  container: "main",
  observation: { kind: "running", id: "main-0", attempt: 0, startedAt: 0, imageRef: "" },
};

function runner(verdict = AdmissionVerdict.admitted()): StepRunner {
  const note =
    (what: string) =>
    async (...values: unknown[]): Promise<void> =>
      void log.push([what, ...values].join(" "));
  const ports = {
    clock,
    admit: async () => {
      meanwhile();
      return verdict;
    },
    report: (where: string, error: Error) => log.push(`report ${where}: ${error.message}`),
    metrics: { rejectedPod: (reason: string) => log.push(`metric ${reason}`) },
    events: { pod: (_: object, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`) },
    node: {
      ip: "192.0.2.1",
      clusterDNS: [],
      clusterDomain: "",
      resolvConf: async () => "",
      missingClusterDNS: () => 0,
    },
    podLogsDir: "/logs",
    rootDir: "/root",
    sourceOf: () => "file",
    runtime: {
      stopSandbox: note("stop sandbox"),
      stopContainer: note("stop"),
      listContainers: async () => [anExit(), anExit({}, "second")],
      sandboxStatus: async () => aSandbox({ state: sandboxState }),
    },
    handlers: { run: async (_: object, { podIp }: { podIp: string }) => log.push(`hook at ${podIp}`) },
  };
  return new StepRunner({
    ports: ports as never,
    state: () => state,
    dispatch: (event) => {
      log.push(event);
      happened(event);
    },
    refresh: note("refresh"),
    earlier: () => ({ running: [], isTakenOver: false }),
    signal: () => stop.signal,
    shortened: () => new Promise(() => undefined),
  });
}

describe("admission", () => {
  const admit = async (verdict?: AdmissionVerdict) => {
    expect(await runner(verdict).perform({ do: "admit" })).toBeUndefined();
    return log;
  };
  const refused = () => AdmissionVerdict.admitted().reject({ reason: "OutOfcpu", message: "too little" });

  test("of a pod admits it", async () => {
    expect(await admit()).toEqual([{ type: "admitted" }]);
  });

  test("that refuses a pod is an event and a metric, with the first reason", async () => {
    const [metric, event, rejected] = await admit(refused());
    expect(metric).toBe("metric OutOfcpu");
    expect(event).toMatch(/^Warning OutOfcpu: .*too little/);
    expect(rejected).toMatchObject({ type: "rejected", reason: "OutOfcpu", at: clock.now() });
  });

  test("that postpones a pod is an event once for each reason, and another try later", async () => {
    const postponed = (message: string) =>
      AdmissionVerdict.admitted().postpone({ reason: "Waiting", message, retryAfterSeconds: 2 });
    const again = { type: "postponed", reason: "Waiting", message: "for a disk", notBefore: 2_000 };
    await admit(postponed("for a disk"));
    await admit(postponed("for a disk"));
    expect(log).toEqual(["Normal Waiting: for a disk", again, again]);
    log = [];
    await admit(postponed("for a device"));
    expect(log[0]).toBe("Normal Waiting: for a device");
  });

  test("of a pod that is to go meanwhile takes back what was reserved, and says no more", async () => {
    meanwhile = () => happened(terminate);
    const verdict = AdmissionVerdict.admitted();
    verdict.undo(() => void log.push("undo"));
    verdict.undo(() => {
      throw new Error("boom");
    });
    expect(await admit(verdict)).toEqual(["report undo of podAdmit: boom", "undo"]);
    for (const late of [
      refused(),
      AdmissionVerdict.admitted().postpone({ reason: "W", message: "m", retryAfterSeconds: 1 }),
    ]) {
      log = [];
      state = initialState(aPod(), 0, 0);
      expect(await admit(late)).toEqual([]);
    }
  });

  test("that the end of the agent cuts short says nothing", async () => {
    meanwhile = () => stop.abort(new Error("stopping"));
    expect(await admit(refused())).toEqual([]);
  });
});

describe("a sandbox that is replaced", () => {
  const replace = async () => {
    await runner().perform({ do: "replaceSandbox", id: "s0" });
    return log;
  };
  const replaced = ["stop sandbox s0", "refresh main-0", "refresh second-0", { type: "sandboxStopped" }];

  test("is stopped, and the ends of its containers are read", async () => {
    happened({ type: "admitted" }, ready);
    expect(await replace()).toEqual(replaced);
  });

  test("is an event when its containers have run", async () => {
    happened({ type: "admitted" }, ready, running, { type: "sandboxDead", id: "s0", attempt: 0 });
    expect(await replace()).toEqual([
      "Normal SandboxChanged: Pod sandbox changed, it will be killed and re-created.",
      ...replaced,
    ]);
  });
});

test("a container that failed is started again only in a sandbox that is still ready", async () => {
  sandboxState = "SANDBOX_NOTREADY";
  happened({ type: "admitted" }, ready, { type: "starting", container: "main", now: 0 });
  happened({ type: "startFailed", container: "main", reason: "R", message: "m", notBefore: 0 });
  await runner().perform({ do: "startContainer", container: "main" });
  expect(log).toEqual([{ type: "sandboxDead", id: "s0", attempt: 0 }]);
});

describe("a container that is to be killed", () => {
  const main = aContainer("main", { lifecycle: { preStop: { exec: { command: ["bye"] } } } });
  const kill = async () => {
    log = [];
    await runner().perform({ do: "killContainer", container: "main" });
    return log;
  };
  const asked: PodEvent = { type: "killRequested", container: "main", message: "too slow", gracePeriodSeconds: 5 };

  test("is stopped for its reason, in its time, and its end is read", async () => {
    state = initialState(aPod({ containers: [main] }), 0, 0);
    happened({ type: "admitted" }, ready, running, asked);
    expect(await kill()).toEqual(["Normal Killing: too slow", "hook at 10.0.0.1", "stop main-0 5", "refresh main-0"]);
  });

  test("has the node's address on the host network", async () => {
    state = initialState(aPod({ containers: [main] }), 0, 0);
    happened({ type: "admitted" }, { ...ready, ips: [] } as PodEvent, running, asked);
    expect(await kill()).toContain("hook at 192.0.2.1");
  });

  test("is left alone when it has ended, or nothing wants it killed any more", async () => {
    happened({ type: "admitted" }, ready);
    expect(await kill()).toEqual([]);
    happened(running);
    expect(await kill()).toEqual([]);
  });
});

test.each([
  ["complete", "completed", []],
  ["exceedDeadline", "deadline", [expect.stringMatching(/^Normal DeadlineExceeded: /)]],
] as const)("the step %s ends the pod as %s", async (step, kind, events) => {
  happened({ type: "admitted" });
  await runner().perform({ do: step });
  expect(log).toEqual([...events, { type: "terminate", cause: { kind }, at: clock.now() }]);
});
