/** ExecSync's answer, read piece by piece. */
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import protobuf from "protobufjs";
import { ExecSyncAnswer } from "../../../src/exec-sync/answer.js";

const root = new protobuf.Root();
root.loadSync(fileURLToPath(new URL("../../../proto/cri.proto", import.meta.url)), { keepCase: true });
const type = root.lookupType("runtime.v1.ExecSyncResponse");
const limits = { keep: 10, most: 1_000 };

function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0]);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

const encoded = (fields: object): Buffer => Buffer.from(type.encode(type.create(fields)).finish());

function read(bytes: Uint8Array, piece = bytes.length || 1): ReturnType<ExecSyncAnswer["result"]> {
  const answer = new ExecSyncAnswer(limits);
  for (let at = 0; at < bytes.length; at += piece) answer.take(bytes.subarray(at, at + piece));
  return answer.result();
}

test("any answer in chunks of any size is what protobuf decodes, with the first bytes of each output", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.integer({ min: 1, max: 50 }),
      (stdout, stderr, exit_code, piece) => {
        const got = read(framed(encoded({ stdout, stderr, exit_code })), piece);
        expect([[...got.stdout], [...got.stderr], got.exitCode]).toEqual([
          [...stdout.subarray(0, limits.keep)],
          [...stderr.subarray(0, limits.keep)],
          exit_code,
        ]);
      },
    ),
  );
});

test("an empty message is a command that has ended well without a word", () => {
  expect(read(framed(Buffer.alloc(0)))).toEqual({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 });
});

test("fields of a newer runtime are skipped, and of one that comes twice the last one counts", () => {
  const known = encoded({ stdout: Buffer.from("out"), exit_code: 7 });
  // Field 9 as a number, eight bytes, four bytes, and text.
  const unknown = [
    [0x48, 0xff, 0x01],
    [0x49, ...Array(8).fill(1)],
    [0x4d, 1, 2, 3, 4],
    [0x4a, 2, 65, 66],
  ].flat();
  const again = encoded({ stdout: Buffer.from("later") });
  const got = read(framed(Buffer.concat([Buffer.from(unknown), known, Buffer.from(unknown), again])), 3);
  expect([String(got.stdout), got.exitCode]).toEqual(["later", 7]);
});

test("what is kept does not hold what it was read with", () => {
  const chunk = Uint8Array.from(framed(encoded({ stdout: Buffer.alloc(900, 1) })));
  expect(read(chunk).stdout.buffer).not.toBe(chunk.buffer);
});

test("a message beyond the limit is refused by its length, before any of it is read", () => {
  const answer = new ExecSyncAnswer(limits);
  expect(() => answer.take(Buffer.from([0, 0, 0, 0x03, 0xe9]))).toThrow(
    expect.objectContaining({
      code: "RESOURCE_EXHAUSTED",
      message: "grpc: received message larger than max (1001 vs. 1000)",
    }),
  );
});

test.each([
  { name: "nothing", bytes: Buffer.alloc(0), text: /received no response message/ },
  { name: "half a frame", bytes: Buffer.from([0, 0, 0]), text: /unexpected EOF/ },
  {
    name: "a message that is cut",
    bytes: framed(encoded({ stdout: Buffer.alloc(50) })).subarray(0, 30),
    text: /unexpected EOF/,
  },
  { name: "a compressed message", bytes: framed(encoded({ exit_code: 1 }), 1), text: /compressed flag set/ },
  {
    name: "two messages",
    bytes: Buffer.concat([framed(encoded({ exit_code: 1 })), framed(Buffer.alloc(0))]),
    text: /received another message/,
  },
  {
    name: "a field longer than the message",
    bytes: framed(Buffer.from([0x0a, 0x7f, 1])),
    text: /longer than the message/,
  },
  { name: "a number without end", bytes: framed(Buffer.alloc(20, 0xff)), text: /a number of more than 10 bytes/ },
  { name: "a group", bytes: framed(Buffer.from([0x0b])), text: /wire type 3/ },
  { name: "a key without value", bytes: framed(Buffer.from([0x18])), text: /ends within a field/ },
])("no answer: $name", ({ bytes, text }) => {
  expect(() => read(bytes)).toThrow(
    expect.objectContaining({ code: "INTERNAL", message: expect.stringMatching(text) }),
  );
});

test("any input is an answer or NoAnswer", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (bytes, piece) => {
      try {
        read(framed(bytes), piece);
      } catch (error) {
        expect(error).toMatchObject({ name: "NoAnswer" });
      }
    }),
  );
});
