import { parseList } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { machineCapacity, nodeAmounts, toQuantityTexts } from "../../../src/node/capacity.js";
import {
  checkReservation,
  nodeReservation,
  type OvercommittedError,
  parseReservations,
  parseSetting,
} from "../../../src/node/reservation.js";

const none = { kubeReserved: {}, systemReserved: {}, evictionHard: {} };
const capacity = parseList({ cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110", pid: "1000" });
const reserved = (config: Parameters<typeof parseReservations>[0]) =>
  toQuantityTexts(nodeReservation(capacity, parseReservations(config)));

describe("what is kept back from pods", () => {
  test("is system, kube and eviction reserve together; what is zero is left out", () => {
    const config = {
      systemReserved: { cpu: "100m", memory: "1Gi", "ephemeral-storage": "0" },
      kubeReserved: { cpu: "200m", pid: "100" },
      evictionHard: { "memory.available": "512Mi", "nodefs.available": "1Gi", "pid.available": "10%" },
    };
    expect(reserved(config)).toEqual({ cpu: "300m", memory: "1536Mi", "ephemeral-storage": "1Gi", pid: "100" });
  });

  test("is nothing of what the node does not have", () => {
    expect(reserved({ ...none, systemReserved: { "vendor.example/gpu": "1" } })).toEqual({});
  });

  test("is no threshold of a resource without capacity", () => {
    const thresholds = parseReservations({ ...none, evictionHard: { "memory.available": "10%" } });
    expect(nodeReservation(parseList({ cpu: "1" }), thresholds).size).toBe(0);
  });

  // As the kubelet does with --reserved-cpus.
  test("reservedSystemCPUs overrides the cpu of both reservations, and nothing else", () => {
    const config = {
      ...none,
      systemReserved: { cpu: "100m", memory: "1Gi" },
      kubeReserved: { cpu: "3", pid: "5" },
      reservedSystemCPUs: "0-1",
    };
    expect(reserved(config)).toEqual({ cpu: "2", memory: "1Gi", pid: "5" });
    expect(reserved({ ...config, reservedSystemCPUs: "" })).toMatchObject({ cpu: "3100m" });
    expect(reserved({ ...none, reservedSystemCPUs: "0" })).toEqual({ cpu: "1" });
  });

  test("a malformed list of processors names its setting", () => {
    expect(() => parseReservations({ ...none, reservedSystemCPUs: "a" })).toThrow("node.reservedSystemCPUs");
  });
});

describe("a setting of quantities", () => {
  test("may be zero", () => {
    expect(toQuantityTexts(parseSetting({ cpu: "0", memory: "1Gi" }, "node.kubeReserved"))).toEqual({
      cpu: "0",
      memory: "1Gi",
    });
  });

  test.each(["-1", "1 core", ""])("is refused with its place where it says %j", (text) => {
    expect(() => parseSetting({ memory: "1Gi", cpu: text }, "node.kubeReserved")).toThrow(
      `node.kubeReserved["cpu"]: expected a quantity such as "100m" or "1Gi", not below 0, found ${JSON.stringify(text)}.`,
    );
  });

  test.each([
    ["kubeReserved", 'node.kubeReserved["cpu"]'],
    ["systemReserved", 'node.systemReserved["cpu"]'],
  ])("%s names itself", (setting, place) => {
    expect(() => parseReservations({ ...none, [setting]: { cpu: "x" } })).toThrow(place);
  });
});

test("an invalid threshold is an error with the valid forms and the reason", () => {
  expect(() => parseReservations({ ...none, evictionHard: { "memory.available": "101%" } })).toThrow(
    /^node\.evictionHard\["memory\.available"\]: expected a quantity above 0 such as "100Mi" or a percentage from "0%" to "100%" \(.+\), found "101%"\.$/,
  );
});

test("all that there is may be kept back, and not a byte more", () => {
  const of = (memory: string) => parseReservations({ ...none, kubeReserved: { memory } });
  const amounts = nodeAmounts(capacity, of("8Gi"));
  expect(toQuantityTexts(amounts.allocatable)).toMatchObject({ memory: "0", cpu: "4" });
  expect(() => checkReservation(capacity, of(String(8 * 2 ** 30 + 1)))).toThrow('Resource "memory"');
  expect(() => checkReservation(capacity, of("8Gi"))).not.toThrow();
});

test("each setting that keeps some of it back is named, the greatest first", () => {
  const over = (settings: object) => {
    try {
      checkReservation(capacity, parseReservations({ ...none, ...settings }));
      return [];
    } catch (error) {
      return (error as OvercommittedError).overcommitted.map((one) => ({ ...one }));
    }
  };
  const memory = (amount: string) => ({ memory: amount });
  expect(
    over({ systemReserved: memory("1Gi"), kubeReserved: memory("8Gi"), evictionHard: { "memory.available": "2Gi" } }),
  ).toEqual([
    {
      resource: "memory",
      reserved: "11Gi",
      capacity: "8Gi",
      settings: ["node.kubeReserved.memory", 'node.evictionHard["memory.available"]', "node.systemReserved.memory"],
    },
  ]);
  expect(over({ systemReserved: memory("0"), kubeReserved: memory("9Gi") })).toMatchObject([
    { settings: ["node.kubeReserved.memory"] },
  ]);
});

test("a configured capacity must be a resource that nodes have", () => {
  const machine = { cpus: 1, memoryBytes: 2 ** 30, diskBytes: 2 ** 30, hugePages: [] };
  expect(toQuantityTexts(machineCapacity(machine, 10, { "hugepages-1Gi": "1Gi", pods: "5" }))).toEqual({
    cpu: "1",
    memory: "1Gi",
    "ephemeral-storage": "1Gi",
    pods: "5",
    "hugepages-1Gi": "1Gi",
  });
  expect(() => machineCapacity(machine, 10, { gpus: "1" })).toThrow(
    'node.capacity: expected resources of a node (cpu, memory, ephemeral-storage, pods, hugepages-<size> or an extended resource), found "gpus".',
  );
});
