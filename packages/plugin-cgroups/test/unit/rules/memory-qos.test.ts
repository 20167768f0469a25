/** What is not in the vectors of MemoryQoS: the edges. */
import { describe, expect, test } from "@jest/globals";
import { memoryHigh } from "../../../src/rules/memory-qos.js";
import { parseQosReserved, qosProtectedMemory } from "../../../src/rules/qos.js";

describe("memory.high", () => {
  const of = (request: number, limit: number) => memoryHigh({ request, limit, factor: 0.5, pageSize: 4096 });

  test.each([
    { name: "lies between request and limit, in whole pages", request: 8192, limit: 8192 + 3 * 4096, high: 12_288 },
    { name: "is none where it would be the request itself", request: 8192, limit: 8192 + 4096, high: undefined },
    { name: "is none where whole pages lie below the request", request: 8193, limit: 8195, high: undefined },
    { name: "is none where request and limit are the same", request: 8193, limit: 8193, high: undefined },
    { name: "of a container without a request counts from 0", request: 0, limit: 16_384, high: 8192 },
    { name: "of nothing is none", request: 0, limit: 0, high: undefined },
  ])("$name", ({ request, limit, high }) => {
    expect(of(request, limit)).toBe(high);
  });
});

describe("what the QoS cgroups keep", () => {
  test("before 1.36 a sum of 0 was not written, since then it is", () => {
    const nothing = { burstableMemory: 0, guaranteedMemory: 0 };
    expect(qosProtectedMemory(nothing, "before-1.36")).toEqual({ kubepods: {}, burstable: {} });
    expect(qosProtectedMemory({ ...nothing, guaranteedMemory: 5 }, "before-1.36")).toEqual({
      kubepods: { "memory.min": "5" },
      burstable: {},
    });
    expect(qosProtectedMemory(nothing, "TieredReservation")).toEqual({
      kubepods: { "memory.min": "0" },
      burstable: { "memory.low": "0" },
    });
  });

  test("qosReserved is refused in the kubelet's words", () => {
    const refused = (message: string) => expect.objectContaining({ code: "INVALID", message });
    expect(() => parseQosReserved({ cpu: "10%" })).toThrow(refused('cannot reserve "cpu" resource'));
    expect(() => parseQosReserved({ memory: "10" })).toThrow(
      refused(`failed to parse percentage "10" for "memory" resource: percentage expected, got '10'`),
    );
    for (const text of ["101%", "-1%"])
      expect(() => parseQosReserved({ memory: text })).toThrow(
        refused(`failed to parse percentage "${text}" for "memory" resource: percentage must be between 0 and 100`),
      );
    expect(parseQosReserved({ memory: "100%" })).toEqual({ memory: 100 });
  });
});
