import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Refused, Written } from "../../../src/apply/cgroup.js";
import { ReportsOnce, reporter } from "../../../src/manager/reports.js";
import { aPod } from "../world.js";

const pod = aPod("web");
let log: string[];
beforeEach(() => {
  log = [];
});
const noting =
  (name: string) =>
  (...words: readonly unknown[]): void => {
    log.push([name, ...words.map((word) => (word === pod ? "web" : String(word)))].join(" | "));
  };

describe("what is reported once", () => {
  let once: ReportsOnce;
  beforeEach(() => {
    once = new ReportsOnce({
      repaired: noting("repaired"),
      refused: ({ path, file, wanted, errno }: Refused, of: unknown) =>
        noting("refused")(path, file, wanted, errno, of),
    } as never);
  });
  const refusal = (more: Partial<Refused> = {}): Refused => ({
    path: "/a",
    file: "memory.max",
    wanted: "5",
    got: "9",
    errno: "EBUSY",
    message: "no",
    ...more,
  });
  const refused = (...all: readonly Refused[]) => once.refused({ made: [], written: [], refused: all }, "/a", pod);

  test("is a refusal, until it is another one", () => {
    refused(refusal());
    refused(refusal({ got: "8", message: "no again" }));
    refused(refusal({ wanted: "6" }));
    refused(refusal({ wanted: "6", errno: "EINVAL" }));
    expect(log).toEqual([
      "refused | /a | memory.max | 5 | EBUSY | web",
      "refused | /a | memory.max | 6 | EBUSY | web",
      "refused | /a | memory.max | 6 | EINVAL | web",
    ]);
    expect(once.refusals()).toEqual([refusal({ wanted: "6", errno: "EINVAL" })]);
  });

  test("is a refusal that was gone and comes again, that of another file, and none of another cgroup", () => {
    refused(refusal(), refusal({ path: "/b" }), refusal({ file: "pids.max" }));
    refused(refusal({ file: "pids.max" }));
    expect(once.refusals()).toEqual([refusal({ file: "pids.max" })]);
    refused(refusal());
    expect(log).toEqual([
      "refused | /a | memory.max | 5 | EBUSY | web",
      "refused | /a | pids.max | 5 | EBUSY | web",
      "refused | /a | memory.max | 5 | EBUSY | web",
    ]);
  });

  test("is forgotten with its cgroup", () => {
    refused(refusal());
    once.refused({ made: [], written: [], refused: [refusal({ path: "/b" })] }, "/b", undefined);
    once.forget("/a");
    expect(once.refusals()).toEqual([refusal({ path: "/b" })]);
    refused(refusal());
    expect(log).toHaveLength(3);
  });

  const written = (more: Partial<Written> = {}): Written => ({
    path: "/a",
    file: "pids.max",
    value: "5",
    why: "",
    before: "9",
    ...more,
  });
  const repaired = (report: object, wanted?: ReadonlyMap<string, string>) =>
    once.repaired({ made: [], written: [], refused: [], ...report }, pod, wanted);

  test("a cgroup that was gone, and a file that another hand wrote, are repairs", () => {
    repaired({
      made: ["/new"],
      written: [written(), written({ path: "/new" }), written({ file: "memory.max", before: undefined })],
    });
    expect(log).toEqual([
      "repaired | cgroup /new was gone and was made again | web",
      "repaired | pids.max of cgroup /a was 9, set to 5 again | web",
      "repaired | memory.max of cgroup /a was missing, set to 5 again | web",
    ]);
  });

  test("of the node's own files only that is a repair which did not hold what was last wanted", () => {
    once.want([written({ value: "9" })]);
    const before = once.want([written({ value: "5" })]);
    expect([...before]).toEqual([["/a/pids.max", "9"]]);
    repaired({ written: [written({ before: "9\n" }), written({ file: "memory.max" })] }, before);
    expect(log).toEqual([]);
    repaired({ written: [written({ before: "7" })] }, before);
    expect(log).toEqual(["repaired | pids.max of cgroup /a was 7, set to 5 again | web"]);
    expect([...once.want([])]).toEqual([["/a/pids.max", "5"]]);
  });
});

describe("the manager's news", () => {
  const made = () => {
    const ctx = {
      log: { warn: noting("warn"), error: noting("error"), info: noting("info") },
      events: { pod: noting("event"), node: noting("event") },
    };
    return reporter(ctx as never, noting("took"));
  };

  test("of a repair are a log line and an event, of its pod or of the node", () => {
    made().repaired("pids.max was changed", pod);
    made().repaired("pids.max was changed", undefined);
    expect(log).toEqual([
      "warn | pids.max was changed",
      "event | web | Warning | CgroupRepaired | pids.max was changed",
      "warn | pids.max was changed",
      "event | Warning | CgroupRepaired | pids.max was changed",
    ]);
  });

  test("of a refusal are a log line and the kubelet's event", () => {
    const refusal = { path: "/kubepods", message: "memory.max: EBUSY" } as Refused;
    made().refused(refusal, pod);
    made().refused(refusal, undefined);
    expect(log).toEqual([
      "error | memory.max: EBUSY",
      "event | web | Warning | FailedCgroupUpdate | memory.max: EBUSY",
      "error | memory.max: EBUSY",
      'event | Warning | FailedNodeAllocatableEnforcement | Failed to update Node Allocatable Limits "/kubepods": memory.max: EBUSY',
    ]);
  });

  test("of processes of others come once for each cgroup", () => {
    const reports = made();
    reports.foreign("/a", 2);
    reports.foreign("/a", 3);
    reports.foreign("/b", 1);
    const text = (path: string, count: number) =>
      `cgroup ${path} holds ${count} processes of no pod of this agent: it is left alone`;
    expect(log).toEqual([
      `warn | ${text("/a", 2)}`,
      `event | Warning | ForeignPodCgroup | ${text("/a", 2)}`,
      `warn | ${text("/b", 1)}`,
      `event | Warning | ForeignPodCgroup | ${text("/b", 1)}`,
    ]);
  });

  test("of removals are log lines; times are measured", () => {
    const reports = made();
    reports.removedOrphan("/a", 2);
    reports.failedRemoval("/b", "EBUSY");
    reports.took("update", 0.5);
    expect(log).toEqual([
      "info | removed cgroup /a of a pod that is gone, with 2 processes left in it",
      "error | cgroup /b stays until the next look: EBUSY",
      "took | update | 0.5",
    ]);
  });
});
