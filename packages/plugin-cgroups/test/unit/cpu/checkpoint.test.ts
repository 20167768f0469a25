import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeCpuState, encodeCpuState } from "../../../src/cpu/checkpoint.js";
import { CpuState } from "../../../src/cpu/cpu-state.js";

/** Files that kubelets wrote. */
const files = [
  ["policy none", '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'],
  ["policy static, no assignments", '{"policyName":"static","defaultCpuSet":"0-63","checksum":1058907510}'],
  [
    "two pods (1.34)",
    '{"policyName":"static","defaultCpuSet":"0-1,6-11","entries":{"4aec46af-22b7-4e26-babb-d15383ac9151":{"mysqld":"2-3"},' +
      '"60008d73-6f6f-4467-96c5-cd0a1eeadf23":{"mysqld2":"4-5"}},"checksum":2764424633}',
  ],
  [
    "two pods of one container name",
    '{"policyName":"static","defaultCpuSet":"0,10-15,25-31","entries":{"777870b5-c64f-42f5-9296-688b9dc212ba":{"container-1":"16-24"},' +
      '"fb15e10a-b6a5-4aaa-8fcd-76c1aa64e6fd":{"container-1":"1-9"}},"checksum":318470969}',
  ],
] as const;

describe("cpu_manager_state", () => {
  test.each(files)("is read and written byte for byte as the kubelet has it: %s", (_, text) => {
    const { policyName, state } = decodeCpuState(text);
    expect(encodeCpuState(policyName, state)).toBe(text);
  });

  test("two containers of one pod have the kubelet's checksum", () => {
    const own = new Map([
      ["container2", new Set([1, 2, 3])],
      ["container1", new Set([4, 5, 6])],
    ]);
    const text = encodeCpuState("none", new CpuState(new Set([1, 2, 3]), new Map([["pod", own]])));
    // Of the kubelet's own test of its state file.
    expect(JSON.parse(text)).toMatchObject({ checksum: 3610638499 });
    expect(text).toContain('{"container1":"4-6","container2":"1-3"}');
  });

  test("names that are numbers stay in the order of text, as Go has them", () => {
    const own = new Map([
      ["9", new Set([1])],
      ["10", new Set([2])],
    ]);
    const text = encodeCpuState("static", new CpuState(new Set([0]), new Map([["pod", own]])));
    expect(text).toContain('{"10":"2","9":"1"}');
  });

  test.each([
    ["no JSON", "{", "expected JSON"],
    ["a list", "[]", "expected an object"],
    [
      "entries of the first format",
      '{"policyName":"static","entries":{"id":"4-6"},"checksum":0}',
      "expected an object",
    ],
    ["a policy that is no text", '{"policyName":1,"defaultCpuSet":"","checksum":0}', "expected an object"],
    ["a set that is no text", '{"policyName":"none","defaultCpuSet":3,"checksum":0}', "expected an object"],
    ["a checksum that is no number", '{"policyName":"none","defaultCpuSet":"","checksum":"0"}', "expected an object"],
    ["entries that are a list", '{"policyName":"none","entries":[],"checksum":0}', "expected an object"],
    [
      "one container's processors that are no text",
      '{"policyName":"static","entries":{"pod":{"a":"4-6","b":7}},"checksum":0}',
      "expected an object",
    ],
    [
      "one container's processors",
      '{"policyName":"static","entries":{"pod":{"a":"x"}},"checksum":0}',
      '"a" in pod "pod"',
    ],
    ["another checksum", '{"policyName":"static","defaultCpuSet":"0-3","checksum":1337}', "checkpoint is corrupted"],
    ["no list of CPUs", '{"policyName":"none","defaultCpuSet":"1.3","checksum":0}', "default CPU set"],
    ["a range without end", '{"policyName":"none","defaultCpuSet":"0-99999999","checksum":0}', "default CPU set"],
  ])("is refused: %s", (_, text, why) => {
    expect(() => decodeCpuState(text)).toThrow(
      expect.objectContaining({ code: "INVALID", message: expect.stringContaining(why) }),
    );
  });

  test("an empty object is that of a kubelet without processors to give", () => {
    expect(decodeCpuState("{}")).toEqual({ policyName: "", state: new CpuState(new Set(), new Map()) });
  });

  test("one of a first kubelet, without checksum, is taken", () => {
    expect(decodeCpuState('{"policyName":"static","defaultCpuSet":"0-3"}').state.shared.size).toBe(4);
  });

  test("no single changed character goes unseen", () => {
    const text = files[2][1];
    const entries = text.indexOf('"entries"');
    fc.assert(
      fc.property(fc.integer({ min: entries, max: text.length - 14 }), fc.constantFrom("0", "7", "x"), (at, other) => {
        if (text[at] === other) return true;
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        try {
          return encodeCpuState("static", decodeCpuState(changed).state) !== changed;
        } catch {
          return true;
        }
      }),
    );
  });
});
