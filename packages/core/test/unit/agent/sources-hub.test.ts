/** How the sources' pods reach the pod manager, and what becomes of their faults. */
import type { Pod } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { SourcesHub } from "../../../src/agent/sources-hub.js";
import type { PodSource, SourceSink } from "../../../src/sources/port.js";
import { aPod } from "../../pod/pods.js";

const pod = (uid: string): Pod => aPod({}, { uid, name: uid });
const uids = (pods: readonly Pod[] = []) => pods.map(({ metadata }) => metadata.uid).join(" ");

let clock: VirtualClock;
/** What the hub asked of others. */
let log: string[];
let sinks: Map<string, SourceSink>;
/** Uid -> the source whose pod runs. */
let owners: Map<string, string>;
/** Calls the watchers of pods: `undefined` = the pod is gone. */
let podChanged: (uid: string, shown: Pod | undefined) => void;
let fails: string | undefined;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  sinks = new Map();
  owners = new Map();
  podChanged = () => {};
  fails = undefined;
});

type Part = "start" | "stop";
function source(name: string, more: Partial<Record<Part, () => Promise<void>>> = {}): PodSource {
  return {
    name,
    start: async (sink: SourceSink) => {
      sinks.set(name, sink);
      await more.start?.();
    },
    stop: more.stop ?? (async () => void log.push(`stop ${name}`)),
  } as PodSource;
}

function hubOf(...sources: readonly PodSource[]): SourcesHub {
  const say = (fields: object, text: string) => void log.push(`log ${Object.values(fields).join()}: ${text}`);
  return new SourcesHub({
    sources,
    manager: {
      setDesired: async (sets: Iterable<readonly [string, readonly Pod[]]>) => {
        if (fails !== undefined) throw new Error(fails);
        log.push(`set ${[...sets].map(([name, pods]) => `${name}(${uids(pods)})`).join(" ")}`);
      },
      change: async (
        name: string,
        { set, removed = [] }: { set?: readonly Pod[]; removed?: readonly { uid: string }[] },
      ) => void log.push(`change ${name}(${[uids(set), ...removed.map(({ uid }) => `-${uid}`)].join(" ")})`),
      stopOrphans: async () => void log.push("stop orphans"),
      ownerOf: (uid: string) => owners.get(uid),
      watch: (listener: typeof podChanged) => {
        podChanged = listener;
        return () => {
          podChanged = () => void log.push("heard no more");
        };
      },
    },
    events: { node: (...words: readonly string[]) => void log.push(`event ${words.join(" ")}`) },
    log: { error: say, info: say },
    clock,
    provided: new Set(),
    rejected: (name: string, refused: Pod, { reason }: { reason: string }) =>
      void log.push(`rejected ${name} ${refused.metadata.uid} ${reason}`),
    tellAgain: (name: string) => void log.push(`tell ${name} again`),
    report: (where: string, error: unknown) => void log.push(`report ${where}: ${(error as Error).message}`),
  } as never);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function logged(): Promise<readonly string[]> {
  await turn();
  return log.splice(0);
}
const sink = (name: string) => sinks.get(name) as SourceSink;
async function started(...names: readonly string[]): Promise<SourcesHub> {
  const hub = hubOf(...names.map((name) => source(name)));
  await hub.read();
  return hub;
}
/** Of sources that have said what they want: nothing. */
async function opened(...names: readonly string[]): Promise<SourcesHub> {
  const hub = await started(...names);
  for (const name of names) sink(name).desired([]);
  await hub.open();
  await logged();
  return hub;
}

describe("the first read", () => {
  test("resolves with the pods of all sources, and hands over none yet", async () => {
    const hub = hubOf(
      source("files", { start: async () => sink("files").desired([pod("a"), pod("b")]) }),
      source("server", { start: async () => sink("server").desired([pod("c")]) }),
    );
    expect(uids(await hub.read())).toBe("a b c");
    expect([await logged(), hub.silent(), hub.isReady()]).toEqual([[], [], false]);
  });

  test("waits two seconds for a slow source, and goes on without it", async () => {
    const hub = hubOf(source("slow", { start: () => new Promise(() => {}) }), source("files"));
    let found: readonly Pod[] | undefined;
    void hub.read().then((pods) => {
      found = pods;
    });
    sink("files").desired([pod("a")]);
    await clock.advance(1_999);
    expect(found).toBeUndefined();
    await clock.advance(1);
    expect([uids(found), hub.silent()]).toEqual(["a", ["slow"]]);
  });

  test("reports a source that cannot start, and goes on without it", async () => {
    const hub = hubOf(source("bad", { start: async () => Promise.reject(new Error("boom")) }), source("files"));
    await hub.read();
    expect(await logged()).toEqual(["report source bad: boom"]);
  });
});

describe("once it is open", () => {
  test("the sets that were read are handed over at once, and what no source wants is stopped", async () => {
    const hub = await started("files", "server");
    sink("files").desired([pod("a")]);
    sink("server").desired([]);
    await hub.open();
    expect(await logged()).toEqual(["set files(a) server()", "stop orphans"]);
    expect(hub.isReady()).toBe(true);
  });

  test("nothing is stopped before every source has spoken, and then once", async () => {
    const hub = await started("files", "server");
    sink("files").desired([pod("a")]);
    await hub.open();
    expect([await logged(), hub.isReady(), hub.silent()]).toEqual([["set files(a)"], false, ["server"]]);
    sink("server").desired([pod("b")]);
    expect([await logged(), hub.isReady()]).toEqual([["set server(b)", "stop orphans"], true]);
    sink("server").desired([]);
    expect(await logged()).toEqual(["set server()"]);
  });

  test("whole sets and single changes go to the manager in their order", async () => {
    await opened("files");
    sink("files").desired([pod("a")]);
    sink("files").changed({ set: [pod("b")], removed: [{ uid: "a" }] });
    expect(await logged()).toEqual(["set files(a)", "change files(b -a)"]);
  });

  test("an error in a source's pods is reported as the source's, and the others go on", async () => {
    await opened("files", "server");
    sink("files").desired("nonsense" as never);
    sink("files").changed({ removed: [{ uid: 7 as never }] });
    fails = "no room";
    sink("files").desired([pod("a")]);
    await turn();
    fails = undefined;
    sink("server").desired([pod("b")]);
    expect(await logged()).toEqual([
      expect.stringMatching(/^report pods of source files: .*expected a list/),
      expect.stringMatching(/^report changes of source files: .*expected a text/),
      "report pods of source files: no room",
      "set server(b)",
    ]);
  });

  test("a source that is reachable again gets the statuses that it has not accepted", async () => {
    await opened("server");
    sink("server").reachable();
    expect(await logged()).toEqual(["tell server again"]);
  });
});

describe("a pod whose uid another source has", () => {
  test("is refused with one event, and its status goes to its source each time", async () => {
    await opened("files", "server");
    sink("files").desired([pod("a")]);
    await logged();
    for (let turns = 0; turns < 2; turns++) sink("server").desired([pod("a")]);
    const lines = await logged();
    expect(lines.filter((line) => line.startsWith("rejected server a"))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith("event Warning"))).toEqual([
      expect.stringContaining("hooklet refuses a pod of source server: "),
    ]);
    expect(lines.filter((line) => line.startsWith("set"))).toEqual(["set server()", "set server()"]);
  });

  test("is taken once that one is gone", async () => {
    await opened("files", "server");
    owners.set("a", "files");
    sink("server").desired([pod("a")]);
    await logged();
    podChanged("a", pod("a"));
    expect(await logged()).toEqual([]);
    owners.delete("a");
    podChanged("a", undefined);
    expect(await logged()).toEqual(["change server(a)"]);
    // It was taken: from now on a refusal is news again.
    owners.set("a", "files");
    sink("server").desired([pod("a")]);
    expect((await logged()).filter((line) => line.startsWith("event"))).toHaveLength(1);
  });

  test("is its own where it runs already", async () => {
    await opened("files", "server");
    owners.set("a", "server");
    sink("server").desired([pod("a")]);
    expect(await logged()).toEqual(["set server(a)"]);
  });
});

describe("a fault of a source", () => {
  test("is logged and an event, once for each text, until it is mended", async () => {
    const hub = await opened("files");
    const fault = (message: string) => sink("files").fault({ where: "/pods/a.yaml", message });
    fault("no kind");
    fault("no kind");
    expect(await logged()).toEqual([
      "log /pods/a.yaml: no kind",
      "event Warning InvalidManifest /pods/a.yaml: no kind",
    ]);
    fault("no name");
    expect(await logged()).toHaveLength(2);
    expect(hub.faults()).toEqual([{ where: "/pods/a.yaml", message: "no name" }]);
    sink("files").mended("/pods/a.yaml");
    sink("files").mended("/pods/a.yaml");
    sink("files").mended("/pods/b.yaml");
    expect([await logged(), hub.faults()]).toEqual([["log /pods/a.yaml: fault resolved"], []]);
    fault("no name");
    expect(await logged()).toHaveLength(2);
  });

  test("is its own: another source may have one at the same place", async () => {
    const hub = await opened("files", "server");
    for (const name of ["files", "server"]) sink(name).fault({ where: "here", message: "m" });
    sink("files").mended("here");
    expect(hub.faults()).toEqual([{ where: "here", message: "m" }]);
  });
});

describe("at the end", () => {
  test("all sources stop, and nothing that they bring counts any more", async () => {
    const hub = await opened("files", "server");
    await hub.stop();
    expect(await logged()).toEqual(["stop files", "stop server"]);
    sink("files").desired([pod("a")]);
    sink("files").changed({ set: [pod("a")] });
    sink("files").reachable();
    podChanged("a", undefined);
    expect(await logged()).toEqual(["heard no more"]);
  });

  test("one that fails, or takes longer than 10 s, is reported and not waited for", async () => {
    const hub = hubOf(
      source("bad", { stop: async () => Promise.reject(new Error("boom")) }),
      source("slow", { stop: () => new Promise(() => {}) }),
    );
    let over = false;
    void hub.stop().then(() => {
      over = true;
    });
    await clock.advance(9_999);
    expect([over, await logged()]).toEqual([false, ["report stop of source bad: boom"]]);
    await clock.advance(1);
    await turn();
    expect(over).toBe(true);
    expect(await logged()).toEqual([
      expect.stringMatching(/^report stop of source slow: Source slow did not stop.*10/),
    ]);
  });
});
