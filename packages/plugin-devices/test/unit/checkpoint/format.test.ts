import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type CheckpointData, decodeCheckpoint, encodeCheckpoint } from "../../../src/checkpoint/format.js";
import { responseCodec } from "../../../src/grpc/convert.js";

const golden = JSON.parse(readFileSync(new URL("../../golden/devices.json", import.meta.url), "utf8")) as {
  readonly checkpoint_file: string;
};

describe("the kubelet's checkpoint", () => {
  test("one that a real kubelet wrote is read, and written again to the byte", () => {
    const data = decodeCheckpoint(golden.checkpoint_file);
    expect(encodeCheckpoint(data)).toBe(golden.checkpoint_file);
    expect(data.entries.map(({ devices }) => [...devices])).toEqual([[[-1, ["Dev-1"]]], [[-1, ["Dev-2"]]]]);
  });

  test("the responses in it are decoded, and encoded again to the byte", () => {
    for (const { response } of decodeCheckpoint(golden.checkpoint_file).entries) {
      expect(responseCodec.encode(responseCodec.decode(response))).toBe(response);
    }
  });

  test.each([
    { name: "nothing", text: "", why: /not JSON/ },
    { name: "half a file", text: golden.checkpoint_file.slice(0, 100), why: /not JSON/ },
    {
      name: "one letter changed",
      text: golden.checkpoint_file.replace("Dev-1", "Dev-3"),
      why: /checksum is 2312009279/,
    },
    { name: "a list", text: "[]", why: /the file is no object/ },
    { name: "no data", text: "{}", why: /Data is no object/ },
  ])("$name is refused by name", ({ text, why }) => {
    expect(() => decodeCheckpoint(text)).toThrow(why);
  });

  const file = (entry: object, registered: unknown = {}): string =>
    JSON.stringify({ Data: { PodDeviceEntries: [{}, entry], RegisteredDevices: registered }, Checksum: 1 });

  test.each([
    { name: "a uid that is no text", text: file({ PodUID: 1 }), why: "PodDeviceEntries[1].PodUID is no text" },
    {
      name: "a container that is no text",
      text: file({ ContainerName: {} }),
      why: "PodDeviceEntries[1].ContainerName is no text",
    },
    {
      name: "a resource that is no text",
      text: file({ ResourceName: [] }),
      why: "PodDeviceEntries[1].ResourceName is no text",
    },
    {
      name: "an answer that is no text",
      text: file({ AllocResp: 1 }),
      why: "PodDeviceEntries[1].AllocResp is no text",
    },
    {
      name: "an answer that is no base64",
      text: file({ AllocResp: "a?" }),
      why: "PodDeviceEntries[1].AllocResp is not base64",
    },
    {
      name: "a node that is a number in other words",
      text: file({ DeviceIDs: { "1e1": [] } }),
      why: "PodDeviceEntries[1].DeviceIDs: 1e1 is no NUMA node",
    },
    {
      name: "a node with a letter behind it",
      text: file({ DeviceIDs: { "1x": [] } }),
      why: "PodDeviceEntries[1].DeviceIDs: 1x is no NUMA node",
    },
    {
      name: "a node with a blank before it",
      text: file({ DeviceIDs: { " 1": [] } }),
      why: "PodDeviceEntries[1].DeviceIDs:  1 is no NUMA node",
    },
    {
      name: "a node that is too great",
      text: file({ DeviceIDs: { "9007199254740993": [] } }),
      why: "PodDeviceEntries[1].DeviceIDs: 9007199254740993 is no NUMA node",
    },
    {
      name: "ids that are no list",
      text: file({ DeviceIDs: { "1": "a" } }),
      why: "PodDeviceEntries[1].DeviceIDs.1 is no list",
    },
    {
      name: "an id that is no text",
      text: file({ DeviceIDs: { "1": ["a", 1] } }),
      why: "PodDeviceEntries[1].DeviceIDs.1 holds what is no text",
    },
    { name: "an entry that is no object", text: file([]), why: "PodDeviceEntries[1] is no object" },
    { name: "resources that are none", text: file({}, []), why: "RegisteredDevices is no object" },
    { name: "a resource whose devices are no list", text: file({}, { r: "a" }), why: "RegisteredDevices.r is no list" },
    {
      name: "entries that are no list",
      text: '{"Data":{"PodDeviceEntries":{}},"Checksum":1}',
      why: "PodDeviceEntries is no list",
    },
  ])("$name is reported with its path", ({ text, why }) => {
    expect(() => decodeCheckpoint(text)).toThrow(new Error(why));
  });

  test("missing keys are empty, as in Go; unknown keys are ignored", () => {
    const empty = encodeCheckpoint({ entries: [], registered: new Map() });
    expect(empty).toContain('{"PodDeviceEntries":null,"RegisteredDevices":{}}');
    const checksum = /"Checksum":(\d+)/.exec(empty)?.[1];
    expect(decodeCheckpoint(`{"Data":{"More":1},"Checksum":${checksum}}`)).toEqual({
      entries: [],
      registered: new Map(),
    });
  });

  test("nodes and resources stand in the order of their text", () => {
    const devices = new Map([
      [10, ["a"]],
      [2, ["b"]],
      [-1, ["c"]],
    ]);
    const entries = [{ podUid: "u", container: "c", resource: "r", devices, response: "" }];
    const registered = new Map([
      ["b.b/c", ["1"]],
      ["a.b/c", ["2"]],
    ]);
    const text = encodeCheckpoint({ entries, registered });
    expect(text).toContain('"DeviceIDs":{"-1":["c"],"10":["a"],"2":["b"]}');
    expect(text).toContain('"RegisteredDevices":{"a.b/c":["2"],"b.b/c":["1"]}');
    expect(encodeCheckpoint({ entries, registered })).toBe(text);
  });

  test("what Go escapes is escaped", () => {
    const text = encodeCheckpoint({ entries: [], registered: new Map([["a.b/c", ["<&>\u2028"]]]) });
    expect(text).toContain('["\\u003c\\u0026\\u003e\\u2028"]');
  });

  test("every checkpoint is read as it was written", () => {
    const word = fc.string({ maxLength: 8 });
    const data: fc.Arbitrary<CheckpointData> = fc.record({
      entries: fc.array(
        fc.record({
          podUid: word,
          container: word,
          resource: word,
          devices: fc
            .array(fc.tuple(fc.integer({ min: -1, max: 12 }), fc.array(word, { maxLength: 3 })), { maxLength: 3 })
            .map((pairs) => new Map(pairs)),
          response: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")),
        }),
        { maxLength: 4 },
      ),
      registered: fc
        .array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}\/[a-z]$/), fc.array(word, { maxLength: 3 })), { maxLength: 3 })
        .map((pairs) => new Map(pairs)),
    });
    fc.assert(
      fc.property(data, (one) => {
        const read = decodeCheckpoint(encodeCheckpoint(one));
        const sorted = (map: ReadonlyMap<string | number, readonly string[]>) =>
          [...map].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(read.entries.map((entry) => ({ ...entry, devices: sorted(entry.devices) }))).toEqual(
          one.entries.map((entry) => ({ ...entry, devices: sorted(entry.devices) })),
        );
        expect(sorted(read.registered)).toEqual(sorted(one.registered));
      }),
    );
  });
});
