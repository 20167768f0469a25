import { beforeEach, describe, expect, test } from "@jest/globals";
import { Containers } from "../../src/probed-containers.js";
import { ResultCache } from "../../src/results.js";
import type { ProbeKind } from "../../src/types.js";

describe("the containers", () => {
  const ref = { podUid: "u", container: "main" };
  let log: string[];
  let workers: Set<ProbeKind>;
  let results: Record<ProbeKind, ResultCache>;
  let containers: Containers;
  beforeEach(() => {
    log = [];
    workers = new Set();
    results = { liveness: new ResultCache(), readiness: new ResultCache(), startup: new ResultCache() };
    containers = new Containers({
      pods: {
        setContainerReady: ({ container }, ready) => void log.push(`${container} ready ${ready}`),
        setContainerStarted: ({ container }, started) => void log.push(`${container} started ${started}`),
      },
      results,
      workers: {
        get: (_uid: string, _container: string, kind: ProbeKind) => (workers.has(kind) ? kind : undefined),
      } as never,
      changed: () => log.push("changed"),
    });
  });

  test("are ready and started until something else is known; what is known is changed in place", () => {
    const record = containers.put(ref, {});
    expect(record).toEqual({ ref, containerId: "", remembered: undefined, ready: true, started: true });
    expect(containers.put(ref, { containerId: "c1", ready: false })).toBe(record);
    expect(containers.get(ref)).toEqual({ ...record, containerId: "c1", ready: false });
    expect(log).toEqual(["changed", "changed"]);
  });

  test("are found by pod and name, and go with their pod", () => {
    const [one, two] = [containers.put(ref, {}), containers.put({ ...ref, container: "second" }, {})];
    const other = containers.put({ podUid: "v", container: "main" }, {});
    expect([...containers.all()]).toEqual([one, two, other]);
    containers.remove("u");
    expect([containers.get(ref), [...containers.all()]]).toEqual([undefined, [other]]);
  });

  test("report what changed, once", () => {
    for (const kind of ["startup", "readiness"] as const) workers.add(kind);
    const record = containers.put(ref, { containerId: "c1", ready: false, started: false });
    log = [];
    expect(containers.refresh(record)).toBe(false);
    expect(log).toEqual([]);
    results.startup.set("c1", "success");
    expect([containers.refresh(record), containers.refresh(record)]).toEqual([true, true]);
    results.readiness.set("c1", "success");
    expect(containers.refresh(record)).toBe(false);
    expect(log).toEqual(["changed", "main started true", "changed", "main ready true"]);
    expect(record).toMatchObject({ ready: true, started: true });
  });
});
