import { parseList } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { type MachineFacts, machineCapacity, nodeAmounts, toQuantityTexts } from "../../../src/node/capacity.js";
import { checkReservation, parseReservations } from "../../../src/node/reservation.js";

const Gi = 2 ** 30;
const machine: MachineFacts = { cpus: 4, memoryBytes: 8 * Gi, diskBytes: 100 * Gi, hugePages: [] };
const none = { kubeReserved: {}, systemReserved: {}, evictionHard: {} };
const allocatable = (reserved: Partial<typeof none>, facts = machine, overrides = {}) =>
  toQuantityTexts(
    nodeAmounts(machineCapacity(facts, 110, overrides), parseReservations({ ...none, ...reserved })).allocatable,
  );

describe("capacity", () => {
  test("is what the machine has", () => {
    const hugePages = [
      { pageBytes: 2 ** 21, pages: 512 },
      { pageBytes: Gi, pages: 0 },
    ];
    expect(toQuantityTexts(machineCapacity({ ...machine, hugePages }, 110))).toEqual({
      cpu: "4",
      memory: "8Gi",
      "ephemeral-storage": "100Gi",
      pods: "110",
      "hugepages-2Mi": "1Gi",
      "hugepages-1Gi": "0",
    });
  });

  test("is the configured value where there is one", () => {
    const capacity = machineCapacity(machine, 110, { cpu: "1500m", "vendor.example/gpu": "2" });
    expect(toQuantityTexts(capacity)).toMatchObject({ cpu: "1500m", "vendor.example/gpu": "2", memory: "8Gi" });
  });

  test.each([
    { name: "no quantity", overrides: { cpu: "two" }, error: 'node.capacity["cpu"]' },
    { name: "a negative one", overrides: { memory: "-1Gi" }, error: 'node.capacity["memory"]' },
    { name: "an unknown resource", overrides: { gpus: "1" }, error: "node.capacity" },
  ])("refuses $name", ({ overrides, error }) => expect(() => machineCapacity(machine, 110, overrides)).toThrow(error));
});

describe("allocatable", () => {
  test("is capacity less all three reservations", () => {
    const reserved = {
      kubeReserved: { cpu: "100m", memory: "1Gi" },
      systemReserved: { cpu: "200m", "ephemeral-storage": "10Gi" },
      evictionHard: { "memory.available": "1Gi", "nodefs.available": "10%" },
    };
    expect(allocatable(reserved)).toEqual({
      cpu: "3700m",
      memory: "6Gi",
      // The kubelet's 10 % is the 32-bit float nearest to 0.1, a little more.
      "ephemeral-storage": `${90 * Gi - 10 * Gi - 160}`,
      pods: "110",
    });
  });

  test("knows huge pages as taken off ordinary memory", () => {
    const hugePages = [{ pageBytes: 2 ** 21, pages: 1024 }];
    expect(allocatable({}, { ...machine, hugePages })).toMatchObject({ memory: "6Gi", "hugepages-2Mi": "2Gi" });
  });

  test("is never below zero", () => {
    const hugePages = [{ pageBytes: Gi, pages: 6 }];
    expect(allocatable({}, { ...machine, hugePages }, { memory: "4Gi" })).toMatchObject({ memory: "0" });
  });

  test("ignores a threshold of 0% and 100%, and signals of other things", () => {
    const evictionHard = { "memory.available": "100%", "nodefs.available": "0%", "imagefs.available": "50%" };
    expect(allocatable({ evictionHard })).toMatchObject({ memory: "8Gi", "ephemeral-storage": "100Gi" });
  });
});

describe("reservations", () => {
  test("more than there is stops the node, in the kubelet's words", () => {
    const reservations = parseReservations({
      ...none,
      kubeReserved: { memory: "10Gi" },
      systemReserved: { memory: "1Gi" },
    });
    expect(() => checkReservation(parseList({ memory: "8Gi" }), reservations)).toThrow(
      'invalid Node Allocatable configuration. Resource "memory" has a reservation of 11Gi but capacity of 8Gi. ' +
        "Expected capacity >= reservation. Lower node.kubeReserved, node.systemReserved or node.evictionHard.",
    );
    expect(() => checkReservation(parseList({ memory: "11Gi" }), reservations)).not.toThrow();
  });

  test("each resource that has too little is named, with the settings that reserve it, the greatest first", () => {
    const reservations = parseReservations({
      kubeReserved: { memory: "1Gi", cpu: "1" },
      systemReserved: { memory: "10Gi" },
      evictionHard: { "memory.available": "100Mi" },
    });
    expect(() => checkReservation(parseList({ cpu: "500m", memory: "8Gi" }), reservations)).toThrow(
      expect.objectContaining({
        overcommitted: [
          { resource: "cpu", reserved: "1", capacity: "500m", settings: ["node.kubeReserved.cpu"] },
          {
            resource: "memory",
            reserved: "11364Mi",
            capacity: "8Gi",
            settings: [
              "node.systemReserved.memory",
              "node.kubeReserved.memory",
              'node.evictionHard["memory.available"]',
            ],
          },
        ],
      }),
    );
  });

  test.each(["", "ten", "101%", "-5%", "-1Gi", "5 %", "0", "NaN%"])(
    "%j is no threshold, and the place is named",
    (text) => {
      expect(() => parseReservations({ ...none, evictionHard: { "memory.available": text } })).toThrow(
        'node.evictionHard["memory.available"]: expected',
      );
    },
  );

  test("a malformed reservation names its place", () => {
    expect(() => parseReservations({ ...none, systemReserved: { cpu: "1 core" } })).toThrow(
      'node.systemReserved["cpu"]',
    );
  });
});

test("what a node does not have is not allocatable either", () => {
  const { allocatable: left } = nodeAmounts(parseList({ cpu: "4" }), parseReservations(none));
  expect(toQuantityTexts(left)).toEqual({ cpu: "4" });
});
