import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Annotations, type ContainerStatus, RuntimeError, type SandboxStatus } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import { HOLDS_ANNOTATION } from "../../../../src/pod/holds.js";
import { BACK_OFF_ANNOTATION } from "../../../../src/pod/life/start/plan.js";
import {
  askStatuses,
  firstSeen,
  orphan,
  type PodRemains,
  remains,
  takeOver,
} from "../../../../src/pod/life/take-over.js";
import type { PodWorker } from "../../../../src/pod/life/worker.js";
import { podLogDirectory } from "../../../../src/pod/spec/sandbox-config.js";
import type { PodEvent } from "../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

const { uid } = aPod().metadata;

function left(parts: Partial<PodRemains> = {}): PodRemains {
  return { uid, sandboxes: [], containers: [], statuses: new Map(), ...parts };
}

const running = (more: Partial<ContainerStatus> = {}, name = "main", attempt = 0): ContainerStatus =>
  anExit({ state: "CONTAINER_RUNNING", finishedAt: 0n, ...more }, name, attempt);

test("the runtime's objects come by pod, the oldest attempt first", async () => {
  const found = await remains({
    listSandboxes: async () => [aSandbox({}, 1), aSandbox({}, 0), aSandbox({ labels: {} }, 2)],
    listContainers: async () => [anExit({}, "main", 2), anExit({}, "main", 1)],
  });
  expect([...found.keys()]).toEqual([uid]);
  expect(found.get(uid)?.sandboxes.map(({ id }) => id)).toEqual(["s0", "s1"]);
  expect(found.get(uid)?.containers.map(({ id }) => id)).toEqual(["main-1", "main-2"]);
});

test("the status of each container is read, 16 at a time; one that went is passed over, one that cannot be read reported", async () => {
  let asked = 0;
  let most = 0;
  const reported: string[] = [];
  const containers = Array.from({ length: 40 }, (_, attempt) => anExit({}, "main", attempt));
  const pod = left({ containers });
  const statuses = await askStatuses(
    {
      containerStatus: async (id) => {
        most = Math.max(most, ++asked);
        await null;
        asked--;
        if (id === "main-1") throw new RuntimeError("not-found", "no such container");
        if (id === "main-2") throw new RuntimeError("unavailable", "connection refused");
        return { ...anExit(), id };
      },
    },
    [pod],
    (where, error) => reported.push(`${where}: ${(error as Error).message}`),
  );
  expect(most).toBe(16);
  expect(statuses).toHaveLength(38);
  expect([...pod.statuses.keys()].toSorted()).toEqual(statuses.map(({ id }) => id).toSorted());
  expect(statuses.every((status) => Object.isFrozen(status))).toBe(true);
  expect(reported).toEqual([`status of container main-2 of pod ${uid}: connection refused`]);
});

describe("an earlier agent took the pod", () => {
  const seen = "kubernetes.io/config.seen";
  test.each<[string, readonly SandboxStatus[], number | undefined]>([
    ["at a time that is not known, without a sandbox", [], undefined],
    ["when its first sandbox says", [aSandbox({ annotations: { [seen]: "1970-01-01T00:00:03Z" } })], 3_000],
    ["when its first sandbox was made, where that says nothing", [aSandbox()], 9_000],
    [
      "when its first sandbox was made, where that says nonsense",
      [aSandbox({ annotations: { [seen]: "soon" } })],
      9_000,
    ],
    ["before later sandboxes", [aSandbox(), aSandbox({ createdAt: 99_000_000_000n }, 1)], 9_000],
  ])("%s", (_, sandboxes, at) => {
    expect(firstSeen(left({ sandboxes }))).toBe(at);
  });
});

describe("a pod is taken over", () => {
  let folder: string | undefined;
  afterEach(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  });

  interface World {
    readonly pod?: PodRemains;
    /** What the runtime lists now. */
    readonly now?: readonly ContainerStatus[];
    readonly podLogsDir?: string;
    /** How often the worker tries it. */
    readonly tries?: number;
  }

  /** What the worker gets, and what the runtime is asked for. */
  async function taken({ pod = left(), now = pod.containers as readonly ContainerStatus[], ...how }: World) {
    // The clock runs for 100 s, at second 110.
    const clock = new VirtualClock({ start: 10_000 });
    await clock.advance(100_000);
    const events: (PodEvent | string)[] = [];
    const calls: string[] = [];
    const reported: string[] = [];
    let statuses: readonly ContainerStatus[] = [];
    const worker = {
      pod: aPod({ containers: [aContainer("main"), aContainer("second")] }),
      dispatch: (event: PodEvent) => events.push(event),
      take: async (status: ContainerStatus) => events.push(status.id),
      takeOver: async (take: () => Promise<readonly ContainerStatus[]>) => {
        for (let tries = how.tries ?? 1; tries > 0; tries--) statuses = await take();
      },
    } as unknown as PodWorker;
    await takeOver(worker, pod, {
      clock,
      podLogsDir: how.podLogsDir ?? "/nonexistent",
      report: (where: string, error: unknown) => reported.push(`${where}: ${(error as Error).message}`),
      lists: { of: async () => ({ sandboxes: pod.sandboxes, containers: now }) },
      runtime: {
        sandboxStatus: async (id: string) => {
          calls.push(`sandboxStatus ${id}`);
          if (id === "s9") throw new RuntimeError("unavailable", "connection refused");
          return aSandbox();
        },
        removeContainer: async (id: string) => calls.push(`removeContainer ${id}`),
        containerStatus: async (id: string) => {
          calls.push(`containerStatus ${id}`);
          const found = now.find((one) => one.id === id);
          if (found === undefined) throw new RuntimeError("not-found", "no such container");
          return found;
        },
      },
    } as never);
    return { events, calls, reported, statuses };
  }

  test("with its newest sandbox, when that is ready", async () => {
    const sandboxes = [aSandbox({}, 0), aSandbox({}, 1)];
    const { events, calls } = await taken({ pod: left({ sandboxes }) });
    expect(calls).toEqual(["sandboxStatus s1"]);
    expect(events).toEqual([
      { type: "sandboxReady", id: "s1", attempt: 1, ips: ["10.0.0.1"], at: 9_000, takenOver: true },
    ]);
  });

  test("with the end of its newest sandbox", async () => {
    const { events, calls } = await taken({ pod: left({ sandboxes: [aSandbox({ state: "SANDBOX_NOTREADY" }, 2)] }) });
    expect([events, calls]).toEqual([[{ type: "sandboxDead", id: "s2", attempt: 2 }], []]);
  });

  test("with containers that ran; one that was never started is removed, and one that is gone passed over", async () => {
    const created = running({ id: "created", state: "CONTAINER_CREATED" });
    const pod = left({ containers: [created, anExit({}, "main", 0), running({}, "main", 1)] });
    const { events, calls, statuses } = await taken({ pod, now: [running({}, "main", 1)] });
    expect(calls).toEqual(["removeContainer created", "containerStatus main-0", "containerStatus main-1"]);
    expect(events).toEqual(["main-1"]);
    expect(statuses.map(({ id }) => id)).toEqual(["main-1"]);
  });

  test("with a status of the start, while the list reports the same; else with a new one", async () => {
    const before = [running({}, "main"), running({}, "second")];
    const pod = left({ containers: before, statuses: new Map(before.map((one) => [one.id, one])) });
    const { calls, statuses } = await taken({ pod, now: [running({}, "main"), anExit({}, "second")] });
    expect(calls).toEqual(["containerStatus second-0"]);
    expect(statuses.map(({ state }) => state)).toEqual(["CONTAINER_RUNNING", "CONTAINER_EXITED"]);
  });

  test("from what the runtime lists, when it is tried again", async () => {
    const pod = left({ containers: [running()] });
    const { calls } = await taken({ pod, now: [running({}, "second", 1), running({}, "main", 0)], tries: 2 });
    expect(calls).toEqual(["containerStatus main-0", "containerStatus main-0", "containerStatus second-1"]);
  });

  test("later, and that is reported, when the runtime fails", async () => {
    const { reported } = await taken({ pod: left({ sandboxes: [aSandbox({ id: "s9" })] }) });
    expect(reported).toEqual([`taking over pod web-node1_default(${uid}): connection refused`]);
  });

  test.each<[string, Partial<ContainerStatus>, string, object | undefined]>([
    ["counts from its start", { startedAt: 60_000_000_000n }, "20", { window: 20_000, startedAt: 50_000 }],
    [
      "counts from when it was made",
      { startedAt: 0n, createdAt: 30_000_000_000n },
      "20",
      { window: 20_000, startedAt: 20_000 },
    ],
    ["of the future counts from now on", { startedAt: 999_000_000_000n }, "20", { window: 20_000, startedAt: 100_000 }],
    ["is 5 min at most", { startedAt: 60_000_000_000n }, "9000", { window: 300_000, startedAt: 50_000 }],
    ["of 0 s is none", {}, "0", undefined],
    ["of nonsense is none", {}, "soon", undefined],
  ])("with the back-off of its container: one that %s", async (_, times, seconds, backOff) => {
    const container = running({ ...times, annotations: { [BACK_OFF_ANNOTATION]: seconds } });
    const { events } = await taken({ pod: left({ containers: [container] }) });
    const known = backOff && { type: "backOffKnown", container: "main", backOff };
    expect(events).toEqual([...(known ? [known] : []), "main-0"]);
  });

  test("with the attempts of removed containers by their logs; those that are there count by themselves", async () => {
    folder = mkdtempSync(path.join(tmpdir(), "hooklet-take-over-"));
    for (const name of ["main", "second"]) {
      const logs = path.join(podLogDirectory(folder, aPod()), name);
      mkdirSync(logs, { recursive: true });
      writeFileSync(path.join(logs, "4.log"), "");
    }
    const { events } = await taken({ pod: left({ containers: [running()] }), podLogsDir: folder });
    expect(events).toEqual(["main-0", { type: "attemptsKnown", container: "second", attempts: 5 }]);
  });
});

describe("a pod of which no source has spoken", () => {
  const sandbox = (annotations: Record<string, string>) => aSandbox({ annotations });

  test("has the name of its labels, and the annotations of its newest sandbox", () => {
    const sandboxes = [sandbox({ a: "old" }), { ...sandbox({ a: "new" }), id: "s1" }];
    expect(orphan(left({ sandboxes })).metadata).toEqual({ ...aPod().metadata, annotations: { a: "new" } });
    expect(orphan(left({ containers: [running()] })).metadata).toEqual({ ...aPod().metadata, annotations: {} });
  });

  test("is called by its uid without labels", () => {
    const bare = aSandbox({ labels: {} });
    expect(orphan(left({ sandboxes: [bare] })).metadata).toMatchObject({ name: uid, namespace: "default", uid });
    expect(orphan(left()).spec).toEqual({ containers: [] });
  });

  test("has the containers that were noted, as far as they are known, then the others that the runtime has", () => {
    const noted = {
      version: 1,
      priority: 5,
      initContainers: [{ name: "setup" }],
      containers: [{ name: "main" }, { name: "second" }],
    };
    const pod = orphan(
      left({
        sandboxes: [sandbox({ [HOLDS_ANNOTATION]: JSON.stringify(noted) })],
        containers: [running({}, "debug"), running({}, "main"), anExit({ image: "setup:1" }, "setup")],
      }),
    );
    expect(pod.spec).toEqual({
      priority: 5,
      initContainers: [{ name: "setup", image: "setup:1" }],
      containers: [{ name: "main", image: "app:1" }, { name: "second" }, { name: "debug", image: "app:1" }],
    });
    expect(Object.isFrozen(pod.spec.containers)).toBe(true);
  });

  test("takes the image of a container's last attempt", () => {
    const containers = [anExit({ image: "app:1" }, "main", 0), running({ image: "app:2" }, "main", 1)];
    expect(orphan(left({ containers })).spec.containers).toEqual([{ name: "main", image: "app:2" }]);
  });

  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["0", 0],
    ["45", 45],
    ["-1", undefined],
    ["soon", undefined],
  ])("with a grace period of %j has one of %j", (noted, seconds) => {
    const annotations = noted === undefined ? {} : { [Annotations.podTerminationGracePeriod]: noted };
    const pod = orphan(left({ containers: [running({ annotations })] }));
    expect(pod.spec.terminationGracePeriodSeconds).toBe(seconds);
  });

  test.each<[string, object | undefined]>([
    ['{"exec":{"command":["bye"]}}', { preStop: { exec: { command: ["bye"] } } }],
    ["{", undefined],
    ["null", undefined],
    ['"bye"', undefined],
  ])("with the preStop hook %s has the lifecycle %j", (text, lifecycle) => {
    const annotations = { [Annotations.preStopHandler]: text };
    const [main] = orphan(left({ containers: [running({ annotations })] })).spec.containers;
    expect(main).toEqual({ name: "main", image: "app:1", ...(lifecycle && { lifecycle }) });
  });
});
