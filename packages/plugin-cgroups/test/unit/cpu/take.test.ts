/** Cases are those of the kubelet's TestTakeByTopologyNUMAPacked. */
import { formatCpuList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { takeByTopology } from "../../../src/cpu/take.js";
import { CpuTopology } from "../../../src/cpu/topology.js";
import { cpus, dualSocket, multiNuma, multiSocket, singleSocket } from "./machines.js";

describe("which CPUs a container gets", () => {
  test.each([
    { name: "none of none", on: singleSocket, free: "0-7", count: 0, got: "" },
    { name: "one of a free socket: the first", on: singleSocket, free: "0-7", count: 1, got: "0" },
    { name: "one: from a core of which a part is taken", on: singleSocket, free: "1,3,5-7", count: 1, got: "6" },
    { name: "two: a whole core", on: singleSocket, free: "0-7", count: 2, got: "0,4" },
    { name: "all of a socket", on: singleSocket, free: "0-7", count: 8, got: "0-7" },
    { name: "two, where one core alone is free", on: singleSocket, free: "0-3,6", count: 2, got: "2,6" },
    { name: "a socket's worth: a whole socket", on: dualSocket, free: "0-11", count: 6, got: "0,2,4,6,8,10" },
    { name: "one: from the fuller socket", on: dualSocket, free: "1-5,7-11", count: 1, got: "2" },
    {
      name: "four cores: one socket filled up, the last from the other",
      on: dualSocket,
      free: "0-11",
      count: 8,
      got: "0-2,4,6-8,10",
    },
    { name: "a socket of two nodes", on: multiNuma, free: "0-79", count: 40, got: "0-19,40-59" },
    { name: "a node", on: multiNuma, free: "0-79", count: 20, got: "0-9,40-49" },
    { name: "a node, the first being taken", on: multiNuma, free: "10-39,50-79", count: 20, got: "10-19,50-59" },
    { name: "a socket and a node", on: multiNuma, free: "0-79", count: 60, got: "0-29,40-69" },
    {
      name: "a socket and a node, a core being taken",
      on: multiNuma,
      free: "1-39,41-79",
      count: 60,
      got: "10-39,50-79",
    },
    {
      name: "a socket's worth where a node of the first is taken in part: the other socket whole",
      on: multiNuma,
      free: "1-39,40-79",
      count: 40,
      got: "20-39,60-79",
    },
    {
      name: "a node's worth where a socket of the first is taken in part: the other node whole",
      on: multiSocket,
      free: "1-39,40-79",
      count: 40,
      got: "20-39,60-79",
    },
    { name: "three nodes and two cores of the fourth", on: multiNuma, free: "0-79", count: 64, got: "0-31,40-71" },
  ])("$name", ({ on, free, count, got }) => {
    const taken = takeByTopology(on, cpus(free), count);
    expect("cpus" in taken && formatCpuList(taken.cpus)).toBe(got);
  });

  test("more than there are: none, in the kubelet's words", () => {
    expect(takeByTopology(singleSocket, cpus("0,2,4,6"), 5)).toEqual({
      error: "not enough cpus available to satisfy request: requested=5, available=4",
    });
  });

  test.each([
    ["one socket", singleSocket],
    ["two sockets", dualSocket],
    ["sockets of two nodes", multiNuma],
    ["nodes of two sockets", multiSocket],
  ] as const)(
    "as many as asked, all of them free, the same each time; whole cores where there are enough: %s",
    (_, on) => {
      const all = [...on.cpus];
      fc.assert(
        fc.property(fc.subarray(all), fc.integer({ min: 0, max: all.length }), (free, count) => {
          const available = new Set(free);
          const taken = takeByTopology(on, available, count);
          if (count > free.length) return "error" in taken;
          if (!("cpus" in taken)) return false;
          const again = takeByTopology(on, new Set([...free].reverse()), count);
          const { cpus: own } = taken;
          const whole = [...new Set(free.map((cpu) => on.place(cpu)?.core ?? 0))].filter((core) =>
            [...on.members("core", core)].every((cpu) => available.has(cpu)),
          );
          const ownWhole = whole.filter((core) => [...on.members("core", core)].every((cpu) => own.has(cpu)));
          return (
            own.size === count &&
            [...own].every((cpu) => available.has(cpu)) &&
            "cpus" in again &&
            formatCpuList(again.cpus) === formatCpuList(own) &&
            ownWhole.length >= Math.min(whole.length, Math.floor(count / on.cpusPerCore))
          );
        }),
      );
    },
  );
});

test("nodes and sockets are in the order of their numbers, whatever the processors' numbers", () => {
  const on = new CpuTopology([
    { cpu: 0, core: 0, socket: 10, node: 2 },
    { cpu: 1, core: 1, socket: 9, node: 10 },
    { cpu: 2, core: 2, socket: 1, node: 1 },
  ]);
  expect([on.nodes, on.sockets]).toEqual([
    [1, 2, 10],
    [1, 9, 10],
  ]);
});
