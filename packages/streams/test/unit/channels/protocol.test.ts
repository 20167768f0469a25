import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  CHUNK_BYTES,
  decode,
  decodeOutcome,
  decodeSize,
  encode,
  encodeExit,
  encodeFailure,
  encodePort,
  encodeSize,
  negotiate,
} from "../../../src/channels/protocol.js";

test.each([
  { offered: ["v5.channel.k8s.io", "v4.channel.k8s.io"], chosen: "v5.channel.k8s.io" },
  { offered: ["v4.channel.k8s.io"], chosen: "v4.channel.k8s.io" },
  { offered: ["base64.channel.k8s.io", "v4.channel.k8s.io"], chosen: "v4.channel.k8s.io" },
  { offered: ["channel.k8s.io"], chosen: undefined },
  { offered: [], chosen: undefined },
])("of $offered the protocol is $chosen", ({ offered, chosen }) => {
  expect(negotiate(offered)).toBe(chosen);
});

test("bytes of any length come back on their channel, in messages that a peer accepts", () => {
  const size = fc.oneof(fc.nat(10), fc.integer({ min: CHUNK_BYTES - 1, max: 3 * CHUNK_BYTES + 1 }));
  fc.assert(
    fc.property(fc.nat(255), size, (channel, length) => {
      const data = Buffer.alloc(length, channel);
      const messages = encode(channel, data);
      expect(messages.every((message) => message.length <= CHUNK_BYTES + 1)).toBe(true);
      const back = messages.map(decode);
      expect(back.every((one) => one.channel === channel)).toBe(true);
      expect(Buffer.concat(back.map((one) => one.data)).equals(data)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("nothing is no message", () => {
  expect(() => decode(Buffer.alloc(0))).toThrow("expected a first byte, found nothing");
});

test("a port is two bytes, the low one first", () => {
  expect([...encodePort(8080)]).toEqual([0x90, 0x1f]);
});

describe("the size of a terminal", () => {
  test("is written as Kubernetes does", () => {
    expect(encodeSize(80, 24).toString()).toBe('{"Width":80,"Height":24}');
    expect(decodeSize(Buffer.from('{"Width":80,"Height":24}\n'))).toEqual({ columns: 80, rows: 24 });
  });

  test.each([
    '{"Width":0,"Height":1}',
    '{"Width":1.5,"Height":1}',
    '{"Width":70000,"Height":1}',
    "{}",
    "null",
    "[1",
    "",
  ])("%j is none", (text) => {
    expect(() => decodeSize(Buffer.from(text))).toThrow("A size of the terminal: expected");
  });
});

describe("the end of a command is a v1 Status", () => {
  test("of success", () => {
    expect(JSON.parse(encodeExit(0).toString())).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
    });
  });

  test("of failure with the exit code as its cause, as kubectl reads it", () => {
    expect(JSON.parse(encodeExit(7).toString())).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "command terminated with non-zero exit code: 7",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "7" }] },
    });
  });

  test("of failure with the reason why it could not run", () => {
    expect(decodeOutcome(encodeFailure("no such container", 404))).toEqual({
      error: "no such container",
      status: 404,
      reason: "NotFound",
    });
  });

  test("every exit code comes back", () => {
    for (let code = 0; code < 256; code++) expect(decodeOutcome(encodeExit(code))).toEqual({ exitCode: code });
  });

  test.each([
    '{"status":"Failure","reason":"NonZeroExitCode","message":"m"}',
    '{"status":"Failure","reason":"NonZeroExitCode","message":"m","details":{"causes":[null,{"reason":"ExitCode","message":"x"}]}}',
  ])("%s has no code, so it is an error", (text) => {
    expect(decodeOutcome(Buffer.from(text))).toMatchObject({ error: "m", status: 500 });
  });

  test.each(["", "[]", '{"status":"Maybe"}'])("%j is none", (text) => {
    expect(() => decodeOutcome(Buffer.from(text))).toThrow("expected a v1 Status");
  });
});
