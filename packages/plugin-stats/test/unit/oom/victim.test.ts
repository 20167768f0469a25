import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { OomLedger } from "../../../src/oom/ledger.js";
import { endedContainers, kernelKills, victimFinder } from "../../../src/oom/victim.js";

const context = (memcg: string, task: string, name: string, pid: number): string =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${memcg},task_memcg=${task},task=${name},pid=${pid},uid=0`;
const killed = (pid: number, name: string): string =>
  `Memory cgroup out of memory: Killed process ${pid} (${name}) total-vm:70000kB, anon-rss:60000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:160kB oom_score_adj:968`;

describe("the kernel's log", () => {
  test("finds the process, its cgroup and the one at its limit", () => {
    expect(
      kernelKills([
        "sh invoked oom-killer: gfp_mask=0xcc0",
        context("/kubepods/podx", "/kubepods/podx/id", "tail", 42),
        killed(42, "tail"),
      ]),
    ).toEqual([{ pid: 42, process: "tail", system: false, exceeded: "/kubepods/podx", cgroup: "/kubepods/podx/id" }]);
  });

  test("finds that the machine itself ran out", () => {
    const lines = [
      "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system/a,task=hog (x),pid=7,uid=1000",
      "Out of memory: Killed process 7 (hog (x)) total-vm:1kB, anon-rss:1kB",
    ];
    expect(kernelKills(lines)).toEqual([
      { pid: 7, process: "hog (x)", system: true, exceeded: "/", cgroup: "/system/a" },
    ]);
  });

  test("finds each process that is killed with its group", () => {
    const lines = [
      context("/a", "/a/b", "one", 1),
      killed(1, "one"),
      "Tasks in /a/b are going to be killed due to memory.oom.group set",
      killed(1, "one"),
      killed(2, "two"),
    ];
    expect(kernelKills(lines).map(({ pid }) => pid)).toEqual([1, 1, 2]);
  });

  test.each([["nothing"], [killed(5, "x")], ["oom-kill:constraint=?"]])("of %p nothing is reported", (line) => {
    expect(kernelKills([line])).toEqual([]);
  });
});

describe("the ledger", () => {
  const key = { uid: "u", container: "main" };

  test("counts on over restarts", () => {
    const ledger = new OomLedger();
    ledger.counted(key, "a", 2);
    ledger.counted(key, "b", 0);
    ledger.counted(key, "b", 1);
    expect(ledger.total(key)).toBe(3);
    for (const id of ["c", "d", "e", "f", "g", "h"]) ledger.died(key, id);
    expect(ledger.total(key)).toBe(9);
  });

  test("does not count twice what is seen in two ways", () => {
    const ledger = new OomLedger();
    ledger.logged(key, "a");
    ledger.counted(key, "a", 1);
    ledger.died(key, "a");
    expect([ledger.total(key), ledger.tell(key, "a"), ledger.tell(key, "a")]).toEqual([1, 1, 0]);
  });

  test("forgets a pod that is gone", () => {
    const ledger = new OomLedger();
    ledger.died(key, "a");
    ledger.forget("u");
    expect(ledger.total(key)).toBe(0);
  });
});

test("a victim is found by its pod's cgroup, wherever the kernel's path begins and however deep it goes", () => {
  const pod = aPod({ name: "web" });
  const find = victimFinder([{ pod, path: "/kubepods/podu", containers: new Map([["abc", "main"]]) }]);
  expect(find("/outer/kubepods/podu/abc/inner")?.container).toEqual({ name: "main", id: "abc" });
  expect(find("/kubepods.slice/podu/cri-containerd-abc.scope")?.container?.name).toBe("main");
  expect(find("/kubepods/podu/sandbox")).toEqual({ pod, container: undefined });
  expect(find("/kubepods/podu")).toEqual({ pod, container: undefined });
  expect(find("/system/sshd")).toBeUndefined();
});

describe("what ended of a pod", () => {
  const terminated = (containerID: string | undefined, reason = "Error") => ({
    terminated: { exitCode: 137, reason, ...(containerID !== undefined && { containerID }) },
  });
  const of = (status: object) => endedContainers({ ...aPod({ name: "web" }), status } as ReturnType<typeof aPod>);

  test("has its last attempt and the one before, init containers first, with ids as the runtime has them", () => {
    const status = {
      containerStatuses: [
        { name: "main", state: terminated("containerd://b", "OOMKilled"), lastState: terminated("containerd://a") },
      ],
      initContainerStatuses: [{ name: "init", state: terminated("hooklet://i") }],
    };
    expect(of(status)).toEqual([
      { name: "init", id: "i", oomKilled: false },
      { name: "main", id: "b", oomKilled: true },
      { name: "main", id: "a", oomKilled: false },
    ]);
  });

  test.each([
    { name: "without a status", status: undefined },
    { name: "whose container has no state", status: { initContainerStatuses: [{ name: "main" }] } },
    { name: "that runs", status: { containerStatuses: [{ name: "main", state: { running: {} } }] } },
    {
      name: "whose container was never made",
      status: { containerStatuses: [{ name: "main", state: terminated(undefined) }] },
    },
  ])("of a pod $name is nothing", ({ status }) => {
    expect(of(status as never)).toEqual([]);
  });
});

test("a kill after another one's context has its own", () => {
  const lines = [context("/a", "/a/b", "one", 1), killed(1, "one"), context("/c", "/c/d", "two", 2), killed(2, "two")];
  expect(kernelKills(lines).map(({ pid, exceeded, cgroup }) => `${pid} ${exceeded} ${cgroup}`)).toEqual([
    "1 /a /a/b",
    "2 /c /c/d",
  ]);
});

test("a context in the middle of a line is a program's text, not the kernel's", () => {
  const line = context("/a", "/a/b", "one", 1);
  expect(kernelKills([`user wrote: ${line}`, killed(1, "one")])).toEqual([]);
  expect(kernelKills([`${line} and more`, killed(1, "one")])).toEqual([]);
});
