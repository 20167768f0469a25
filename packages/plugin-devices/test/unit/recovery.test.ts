import { describe, expect, test } from "@jest/globals";
import { Inventory } from "../../src/device/inventory.js";
import { type Allocation, PodDevices } from "../../src/device/pod-devices.js";
import { checkpointOf, restoreInto } from "../../src/manager/device-state.js";
import { recoveredEntries, recoveryAnnotation } from "../../src/recovery.js";
import { device, GPU, nothing } from "../devices.js";

const allocation = (parts: Partial<Allocation> = {}): Allocation => ({
  podUid: "u",
  container: "c",
  resource: GPU,
  devices: new Map([
    [-1, ["a"]],
    [1, ["b", "c"]],
  ]),
  response: nothing,
  encoded: "cmVzcA==",
  ...parts,
});
const entry = { podUid: "u", container: "c", resource: GPU, devices: allocation().devices, response: "cmVzcA==" };

describe("the annotation of a container", () => {
  test("has all that its records need to be restored", () => {
    const text = recoveryAnnotation([allocation()]);
    expect(JSON.parse(text ?? "")).toEqual({
      [GPU]: { devices: { "-1": ["a"], "1": ["b", "c"] }, response: "cmVzcA==" },
    });
    expect(recoveredEntries("u", "c", text)).toEqual([entry]);
  });

  test("leaves out records without a response, and is undefined without any", () => {
    expect(recoveryAnnotation([allocation({ encoded: undefined })])).toBeUndefined();
    expect(recoveryAnnotation([])).toBeUndefined();
    const both = recoveryAnnotation([allocation({ encoded: undefined }), allocation({ resource: "b.example/x" })]);
    expect(Object.keys(JSON.parse(both ?? ""))).toEqual(["b.example/x"]);
  });

  test("is left out above 64 KiB: the runtime keeps it in memory", () => {
    const size = (encoded: string) => Buffer.byteLength(recoveryAnnotation([allocation({ encoded })]) ?? "");
    const frame = size("");
    expect(size("x".repeat(65_536 - frame))).toBe(65_536);
    expect(size("x".repeat(65_537 - frame))).toBe(0);
  });

  test.each([
    { name: "none", text: undefined },
    { name: "no JSON", text: "gpu-1" },
    { name: "null", text: "null" },
    { name: "no response", text: '{"r":{"devices":{}}}' },
    { name: "a response that is no text", text: '{"r":{"devices":{},"response":1}}' },
    { name: "a node that is no number", text: '{"r":{"devices":{"x":["a"]},"response":"r"}}' },
    { name: "ids that are no list", text: '{"r":{"devices":{"0":"a"},"response":"r"}}' },
  ])("that is not ours or damaged tells nothing: $name", ({ text }) => {
    expect(recoveredEntries("u", "c", text)).toEqual([]);
  });

  test("one without devices lists a resource without any", () => {
    expect(recoveredEntries("u", "c", '{"r":{"response":"x"}}')).toEqual([
      { podUid: "u", container: "c", resource: "r", devices: new Map(), response: "x" },
    ]);
  });
});

describe("the checkpoint of the manager's records", () => {
  const codec = {
    encode: () => "",
    decode: (text: string) => {
      if (text === "bad") throw new Error("no protobuf");
      return { ...nothing, envs: { TEXT: text } };
    },
  };

  test("holds records with a response, and healthy devices", () => {
    const [records, inventory] = [new PodDevices(), new Inventory()];
    records.insert(allocation());
    records.insert(allocation({ container: "lost", encoded: undefined }));
    inventory.reported(GPU, [device("b"), device("a", [], "Unhealthy")]);
    expect(checkpointOf({ records, inventory })).toEqual({ entries: [entry], registered: new Map([[GPU, ["b"]]]) });
    expect(checkpointOf({ records, inventory }).entries[0]).toBe(checkpointOf({ records, inventory }).entries[0]);
  });

  test("is taken over: allocations, and resources whose plugins are not back yet", () => {
    const [records, inventory] = [new PodDevices(), new Inventory()];
    const registered = new Map([["b.example/x", ["1"]]]);
    expect(restoreInto({ records, inventory }, { entries: [entry], registered }, codec, 500)).toEqual([]);
    expect(records.get("u", "c", GPU)).toEqual({
      ...allocation(),
      response: { ...nothing, envs: { TEXT: "cmVzcA==" } },
    });
    expect(inventory.get("b.example/x")).toMatchObject({ stoppedAt: 500, remembered: true });
    expect(inventory.names()).toEqual(["b.example/x"]);
  });

  test("whose entry cannot be read loses that entry alone, and reports it", () => {
    const [records, inventory] = [new PodDevices(), new Inventory()];
    const entries = [
      { ...entry, response: "bad" },
      { ...entry, podUid: "v" },
    ];
    expect(restoreInto({ records, inventory }, { entries, registered: new Map() }, codec, 0)).toEqual([
      `${GPU} of container c of pod u: no protobuf`,
    ]);
    expect(records.pods()).toEqual(["v"]);
  });
});
