import type { Container, Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { CpuState } from "../../../src/cpu/cpu-state.js";
import { cpuHints, exclusiveCpus, podExclusiveCpus } from "../../../src/cpu/requests.js";
import { CpuTopology } from "../../../src/cpu/topology.js";
import { stateFault } from "../../../src/cpu/validate.js";
import { aPod, both } from "../world.js";
import { cpus, dualSocket, multiNuma, singleSocket } from "./machines.js";

describe("a state that was read", () => {
  const state = (shared: string, assignments: Record<string, Record<string, string>> = {}) =>
    new CpuState(
      cpus(shared),
      new Map(
        Object.entries(assignments).map(([uid, containers]) => [
          uid,
          new Map(Object.entries(containers).map(([name, own]) => [name, cpus(own)])),
        ]),
      ),
    );
  const rules = { cpus: cpus("0-3"), reserved: cpus("0"), strictReservation: false };
  const strict = { ...rules, strictReservation: true };

  test.each([
    { name: "no assignments", of: state("0-3"), by: rules },
    {
      name: "two containers of one pod share, as after an init container",
      of: state("0,3", { a: { init: "1-2", main: "1-2" } }),
      by: rules,
    },
    { name: "reserved ones are strictly kept", of: state("1-2", { a: { main: "3" } }), by: strict },
  ])("is gone on with where $name", ({ of, by }) => {
    expect(stateFault(of, by)).toBeUndefined();
  });

  test.each([
    {
      name: "nothing is left to share",
      of: state("", { a: { main: "0-3" } }),
      by: rules,
      words: "default cpuset cannot be empty",
    },
    {
      name: "a reserved one belongs to a pod",
      of: state("1-3", { a: { main: "0" } }),
      by: rules,
      words: 'not all reserved cpus: "0" are present in defaultCpuSet: "1-3"',
    },
    {
      name: "a strictly reserved one is shared",
      of: state("0-3"),
      by: strict,
      words: 'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-3"',
    },
    {
      name: "what a container has is shared as well",
      of: state("0-2", { a: { main: "2-3" } }),
      by: rules,
      words: 'pod: a, container: main cpuset: "2-3" overlaps with default cpuset "0-2"',
    },
    {
      name: "the machine has others",
      of: state("0-2"),
      by: rules,
      words: 'current set of available CPUs "0-3" doesn\'t match with CPUs in state "0-2"',
    },
    {
      name: "the machine has others, reserved ones strictly kept",
      of: state("1-2"),
      by: strict,
      words: 'current set of available CPUs "1-3" doesn\'t match with CPUs in state "1-2"',
    },
    {
      name: "two pods have the same one",
      of: state("0,3", { a: { main: "1-2" }, b: { main: "2" } }),
      by: rules,
      words: "cpu 2 belongs to pod a and to pod b",
    },
  ])("is refused where $name", ({ of, by, words }) => {
    expect(stateFault(of, by)).toBe(words);
  });

  test("what is given to a container is no longer shared, and comes back but for what the pod still uses", () => {
    const own = state("0-3");
    own.assign("a", "init", cpus("1-2"));
    own.assign("a", "main", cpus("2-3"));
    expect([[...own.shared], own.exclusive, [...own.ofPod("a")].sort()]).toEqual([[0], 3, [1, 2, 3]]);
    expect(own.release("a", "init")).toBe(true);
    expect([...own.shared].sort()).toEqual([0, 1]);
    expect([own.hasPod("a"), own.get("a", "init"), own.release("a", "init"), own.release("b", "main")]).toEqual([
      true,
      undefined,
      false,
      false,
    ]);
    expect(own.release("a", "main")).toBe(true);
    expect([own.hasPod("a"), own.exclusive, own.ofPod("a").size, own.shared.size]).toEqual([false, 0, 0, 4]);
  });

  test("a copy is its own", () => {
    const own = state("0-1", { a: { main: "2" } });
    const copy = own.copy();
    copy.release("a", "main");
    expect([own.hasPod("a"), own.shared.size, copy.shared.size]).toEqual([true, 2, 3]);
  });
});

describe("the number of exclusive processors", () => {
  const container = (cpu: string | undefined, more: object = {}): Container =>
    ({
      name: "c",
      image: "app:1",
      resources: cpu === undefined ? {} : both({ cpu, memory: "64Mi" }),
      ...more,
    }) as Container;
  const pod = (amounts: readonly (string | undefined)[], init: readonly Container[] = []): Pod =>
    aPod(
      "a",
      amounts.map((cpu) => (cpu === undefined ? {} : both({ cpu, memory: "64Mi" }))),
      { initContainers: [...init] },
    );
  const sidecar = (cpu: string) => container(cpu, { restartPolicy: "Always" });
  const of = (one: Pod) => exclusiveCpus(one, one.spec.containers[0] as Container);

  test.each([
    { name: "a whole number of a Guaranteed pod: that many", one: pod(["2"]), count: 2 },
    { name: "in milli-cores as well", one: pod(["3000m"]), count: 3 },
    { name: "a part of one: none", one: pod(["1500m"]), count: 0 },
    { name: "a Burstable pod: none", one: aPod("a", [{ requests: { cpu: "2" } }]), count: 0 },
    {
      name: "a pod with resources of its own: none, as in the kubelet",
      one: aPod("a", [both({ cpu: "2", memory: "64Mi" })], { resources: both({ cpu: "2", memory: "64Mi" }) } as never),
      count: 0,
    },
  ])("a container has, $name", ({ one, count }) => {
    expect(of(one)).toBe(count);
  });

  test.each([
    { name: "all its containers together", one: pod(["2", "1"]), count: 3 },
    { name: "not what shares", one: pod(["2", "500m"]), count: 2 },
    {
      name: "the greediest init container, where that is more",
      one: pod(["1"], [container("4"), container("2")]),
      count: 4,
    },
    { name: "its containers, where they are more", one: pod(["2", "3"], [container("4")]), count: 5 },
    { name: "its containers beside its sidecars", one: pod(["2"], [sidecar("1")]), count: 3 },
    {
      name: "an init container beside the sidecars before it",
      one: pod(["1"], [sidecar("1"), container("4")]),
      count: 5,
    },
    { name: "not beside those after it", one: pod(["1"], [container("4"), sidecar("1")]), count: 4 },
    { name: "two sidecars", one: pod(["1"], [sidecar("1"), sidecar("2")]), count: 4 },
  ])("a pod has at its greediest moment $name", ({ one, count }) => {
    expect(podExclusiveCpus(one)).toBe(count);
  });
});

describe("a machine", () => {
  test("has cores, sockets and nodes, for any order of its processors", () => {
    const machine = new CpuTopology([
      { cpu: 3, core: 1, socket: 1, node: 1 },
      { cpu: 1, core: 1, socket: 1, node: 1 },
      { cpu: 2, core: 0, socket: 0, node: 0 },
      { cpu: 0, core: 0, socket: 0, node: 0 },
    ]);
    expect([[...machine.cpus], machine.nodes, machine.sockets]).toEqual([
      [0, 1, 2, 3],
      [0, 1],
      [0, 1],
    ]);
    expect([machine.cpusPerCore, machine.cpusPerSocket]).toEqual([2, 2]);
    expect([...machine.members("socket", 1)]).toEqual([1, 3]);
    expect([...machine.members("node", 7)]).toEqual([]);
    expect([...machine.wholeCores([3, 9])]).toEqual([1, 3]);
    expect(machine.place(9)).toBeUndefined();
  });

  test("whose cores differ counts them as if they did not", () => {
    const place = (cpu: number, core: number) => ({ cpu, core, socket: 0, node: 0 });
    const machine = new CpuTopology([place(0, 0), place(1, 0), place(2, 2)]);
    expect([machine.cpusPerCore, machine.cpusPerSocket]).toEqual([1, 3]);
  });

  test("without processors has none of anything", () => {
    const machine = new CpuTopology([]);
    expect([machine.cpusPerCore, machine.cpusPerSocket, machine.nodes]).toEqual([0, 0, []]);
  });
});

describe("hints", () => {
  test("name each set of nodes with enough free processors, smallest first", () => {
    expect(cpuHints(dualSocket, cpus("0-11"), cpus(""), 7)).toEqual([{ nodes: [0, 1], preferred: true }]);
    expect(
      cpuHints(multiNuma, cpus("0-9,20-29"), cpus(""), 10)
        .map(({ nodes, preferred }) => [nodes, preferred])
        .slice(0, 3),
    ).toEqual([
      [[0], true],
      [[2], true],
      [[0, 1], false],
    ]);
  });

  test("count what is used again, and leave no part of it out", () => {
    const hints = (free: string, again: string, count: number) =>
      cpuHints(dualSocket, cpus(free), cpus(again), count).map(({ nodes }) => nodes);
    expect(hints("0,2", "1,7", 2)).toEqual([[1], [0, 1]]);
    expect(hints("0,2", "0,1", 2)).toEqual([[0, 1]]);
    expect(hints("1,7", "1,7", 3)).toEqual([]);
  });

  test("are preferred when no smaller set of nodes could ever have enough, though it has not now", () => {
    expect(cpuHints(dualSocket, cpus("0,1"), cpus(""), 2)).toEqual([{ nodes: [0, 1], preferred: false }]);
    expect(cpuHints(singleSocket, cpus("0-7"), cpus(""), 9)).toEqual([]);
  });

  test("of a machine with more than eight nodes have no nodes", () => {
    const machine = (nodes: number) =>
      new CpuTopology(Array.from({ length: nodes }, (_, cpu) => ({ cpu, core: cpu, socket: 0, node: cpu })));
    expect(cpuHints(machine(9), cpus("0-8"), cpus(""), 1)).toEqual([{ nodes: undefined, preferred: true }]);
    expect(cpuHints(machine(8), cpus("0-7"), cpus(""), 8)).toEqual([
      { nodes: [0, 1, 2, 3, 4, 5, 6, 7], preferred: true },
    ]);
  });
});
