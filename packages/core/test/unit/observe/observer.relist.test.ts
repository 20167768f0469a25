import { type Container, RuntimeError, type RuntimeEvent, type Sandbox } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { Observer } from "../../../src/observe/observer.js";
import type { PodWorker } from "../../../src/pod/life/worker.js";
import type { ContainerState, PodState } from "../../../src/pod/state.js";
import { aPod } from "../../pod/pods.js";
import { anExit, aSandbox } from "../../pod/runtime-objects.js";

let clock: VirtualClock;
let log: string[];
let containers: Container[];
let sandboxes: Sandbox[];
/** What fails, by what is called. */
let fails: Record<string, Error>;
/** Milliseconds that a list of sandboxes takes. */
let listing: number;
let subscriber: { event(event: RuntimeEvent): void; missed(): void } | undefined;
let settled: boolean;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  containers = [anExit({ state: "CONTAINER_RUNNING" })];
  sandboxes = [aSandbox()];
  fails = {};
  listing = 0;
  subscriber = undefined;
  settled = true;
});

async function call(text: string): Promise<void> {
  log.push(text);
  const error = fails[text];
  if (error !== undefined) throw error;
}

/** A pod whose containers are in these states, the first one as `main`. */
function worker(main: ContainerState["kind"] = "running", sandbox = "ready"): PodWorker {
  return {
    pod: aPod(),
    state: {
      sandbox: { kind: sandbox, id: "s0" },
      containers: { main: { kind: main, id: "main-0" } },
    } as unknown as PodState,
    refresh: (id: string) => call(`refresh ${id}`),
    checkSandbox: () => call("check sandbox"),
    dispatch: (event: { observation?: { kind: string; id: string } }) =>
      log.push(`${event.observation?.kind} ${event.observation?.id}`),
  } as never;
}

function observer(workers: readonly PodWorker[] = [], hasEvents = true): Observer {
  const subscribe = (event: (event: RuntimeEvent) => void, missed: () => void) => {
    subscriber = { event, missed };
    return () => void log.push("unsubscribed");
  };
  const manager = {
    workers: () => workers,
    observe: async () => {
      log.push(`${clock.monotonic()}: observe`);
      if (fails.observe !== undefined) throw fails.observe;
      return settled;
    },
  };
  return new Observer(manager as never, {
    clock,
    report: (where, error) => void log.push(`report ${where}: ${(error as Error).message}`),
    metrics: {
      relist: (took: number, interval: number | undefined) => log.push(`relist took ${took}, ${interval} s after`),
    } as never,
    runtime: {
      listSandboxes: async () => {
        log.push(`${clock.monotonic()}: list`);
        if (listing > 0) await new Promise<void>((resolve) => void clock.schedule(listing, resolve));
        if (fails.list !== undefined) throw fails.list;
        return sandboxes;
      },
      listContainers: async () => containers,
      ...(hasEvents && { subscribe }),
    } as never,
  });
}

const lists = (): readonly string[] => log.filter((line) => line.endsWith(": list"));

describe("everything is listed", () => {
  test("each second where the runtime has no events", async () => {
    const own = observer([], false);
    own.start();
    await clock.advance(2_500);
    expect(log).toEqual(["1000: list", "relist took 0, undefined s after", "2000: list", "relist took 0, 1 s after"]);
    own.stop();
    await clock.advance(10_000);
    expect([lists().length, clock.pending]).toEqual([2, 0]);
  });

  test("each 300 s where it has, and at once when some were missed", async () => {
    const own = observer();
    own.start();
    await clock.advance(310_000);
    subscriber?.missed();
    await clock.advance(299_999);
    expect(lists()).toEqual(["300000: list", "310000: list"]);
    await clock.advance(1);
    expect(lists()).toHaveLength(3);
    own.stop();
    expect(log.at(-1)).toBe("unsubscribed");
  });

  test("once more after a list under way, when events were missed meanwhile", async () => {
    listing = 2_000;
    const own = observer();
    own.start();
    for (const _ of [1, 2, 3]) subscriber?.missed();
    await clock.advance(10_000);
    expect(lists()).toEqual(["0: list", "2000: list"]);
    own.stop();
  });

  test("a second later when that failed; only an error that no other part reports is reported", async () => {
    fails = { list: new Error("boom") };
    const own = observer();
    own.start();
    subscriber?.missed();
    await clock.advance(500);
    expect(log).toEqual(["0: list", "report relist: boom"]);
    for (const reason of ["unavailable", "not-found"] as const) {
      log = [];
      fails = { list: new RuntimeError(reason, "down") };
      await clock.advance(1_000);
      expect(log).toHaveLength(1);
    }
    own.stop();
  });
});

describe("an event", () => {
  const event: RuntimeEvent = { podUid: "u", containerId: "c", type: "CONTAINER_STOPPED" };

  test("that the runtime does not confirm is read again, at last by a list of everything", async () => {
    settled = false;
    const own = observer();
    own.start();
    subscriber?.event(event);
    await clock.advance(60_000);
    expect(log.slice(0, -1)).toEqual([...[0, 50, 250, 1_250, 6_250].map((at) => `${at}: observe`), "6250: list"]);
    own.stop();
  });

  test("that fails is read again, and reported unless the runtime is down", async () => {
    fails = { observe: new Error("boom") };
    const own = observer();
    own.start();
    subscriber?.event(event);
    await clock.advance(0);
    expect(log).toEqual(["0: observe", "report event: boom"]);
    own.stop();
    await clock.advance(60_000);
    expect([log.length, clock.pending]).toEqual([3, 0]);
  });
});

describe("what the list tells of a pod", () => {
  const seen = async (of = worker()): Promise<readonly string[]> => {
    const relisted = observer([of]).relist();
    await relisted.catch((error: unknown) => log.push(`failed: ${(error as Error).message}`));
    return log.filter((line) => !line.endsWith(": list") && !line.startsWith("relist"));
  };

  test("as it was is nothing", async () => {
    expect(await seen()).toEqual([]);
  });

  test("a container that has ended is read", async () => {
    containers = [anExit()];
    expect(await seen()).toEqual(["refresh main-0"]);
    log = [];
    expect(await seen(worker("exited"))).toEqual([]);
  });

  test("a container that is not in it is read; one that is gone is lost", async () => {
    containers = [];
    expect(await seen()).toEqual(["refresh main-0"]);
    log = [];
    fails = { "refresh main-0": new RuntimeError("not-found", "no such container") };
    expect(await seen()).toEqual(["refresh main-0", "lost main-0"]);
    log = [];
    fails = { "refresh main-0": new Error("boom") };
    expect(await seen()).toEqual(["refresh main-0", "failed: boom"]);
  });

  test("a sandbox that is dead, or not in it, is checked; a pod without one is not", async () => {
    sandboxes = [aSandbox({ state: "SANDBOX_NOTREADY" })];
    expect(await seen()).toEqual(["check sandbox"]);
    log = [];
    sandboxes = [aSandbox({}, 1)];
    expect(await seen()).toEqual(["check sandbox"]);
    log = [];
    expect(await seen(worker("running", "none"))).toEqual([]);
    log = [];
    sandboxes = [];
    containers = [];
    expect(await seen(worker("waiting"))).toEqual(["check sandbox"]);
  });

  test("of one pod that fails does not keep the others from being seen", async () => {
    containers = [anExit()];
    fails = { "refresh main-0": new Error("boom") };
    const other = { ...worker("waiting", "ready"), checkSandbox: () => call("other") } as PodWorker;
    sandboxes = [];
    await expect(observer([worker(), other]).relist()).rejects.toThrow("boom");
    expect(log).toContain("other");
    expect(log.at(-1)).toMatch(/^relist took/);
  });
});
