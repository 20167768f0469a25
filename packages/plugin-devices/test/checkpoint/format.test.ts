import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { CheckpointData } from "../../src/checkpoint/data.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/checkpoint/format.js";
import { responseCodec } from "../../src/grpc/convert.js";

const golden = JSON.parse(readFileSync(new URL("../golden/devices.json", import.meta.url), "utf8")) as {
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
    { name: "another checksum", text: golden.checkpoint_file.replace("2312009279", "1"), why: /checksum is 1,/ },
    { name: "a list", text: "[]", why: /the file is no object/ },
    { name: "no data", text: "{}", why: /Data is no object/ },
    {
      name: "a file of Kubernetes 1.19",
      text: '{"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c","ResourceName":"r","DeviceIDs":["a"],"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}',
      why: /DeviceIDs is no object/,
    },
    {
      name: "a NUMA node that is no number",
      text: '{"Data":{"PodDeviceEntries":[{"DeviceIDs":{"x":["a"]}}],"RegisteredDevices":{}},"Checksum":1}',
      why: /x is no NUMA node/,
    },
  ])("$name is refused by name", ({ text, why }) => {
    expect(() => decodeCheckpoint(text)).toThrow(why);
  });

  test("what Go escapes is escaped", () => {
    const text = encodeCheckpoint({ entries: [], registered: new Map([["a.b/c", ["<&>\u2028"]]]) });
    expect(text).toContain('["\\u003c\\u0026\\u003e\\u2028"]');
  });

  test("whatever is written is read back the same", () => {
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
