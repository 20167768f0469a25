import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import {
  dataFrame,
  FrameReader,
  headerBlock,
  openFrame,
  pingFrame,
  readHeaders,
  replyFrame,
  resetFrame,
  type SpdyFrame,
} from "../../src/spdy-frames.js";

const block = Buffer.from("headers");
const read = (...chunks: readonly Buffer[]): readonly SpdyFrame[] => {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => reader.take(chunk));
};
/** A control frame of version 3. */
const control = (type: number, body: Buffer, flags = 0): Buffer =>
  Buffer.concat([Buffer.from([0x80, 3, 0, type, flags, 0, 0, body.length]), body]);

describe("a frame", () => {
  test.each<{ name: string; bytes: Buffer; frame: SpdyFrame }>([
    { name: "opens a stream", bytes: openFrame(3, block), frame: { kind: "open", stream: 3, block, last: false } },
    {
      name: "carries data",
      bytes: dataFrame(5, Buffer.from("x"), false),
      frame: { kind: "data", stream: 5, data: Buffer.from("x"), last: false },
    },
    {
      name: "carries the last data",
      bytes: dataFrame(5, Buffer.alloc(0), true),
      frame: { kind: "data", stream: 5, data: Buffer.alloc(0), last: true },
    },
    { name: "answers", bytes: replyFrame(7, block), frame: { kind: "reply", stream: 7, last: false } },
    {
      name: "answers for the last time",
      bytes: control(2, Buffer.alloc(4), 1),
      frame: { kind: "reply", stream: 0, last: true },
    },
    { name: "breaks off", bytes: resetFrame(9), frame: { kind: "reset", stream: 9 } },
    { name: "asks for a sign of life", bytes: pingFrame(11), frame: { kind: "ping", id: 11 } },
    { name: "ends all", bytes: control(7, Buffer.alloc(0)), frame: { kind: "goAway" } },
    { name: "is of another type", bytes: control(4, Buffer.alloc(8)), frame: { kind: "other" } },
    { name: "that opens is too short", bytes: control(1, Buffer.alloc(9)), frame: { kind: "other" } },
    { name: "that asks for a sign of life is too short", bytes: control(6, Buffer.alloc(3)), frame: { kind: "other" } },
    {
      name: "that opens has no headers",
      bytes: control(1, Buffer.alloc(10), 1),
      frame: { kind: "open", stream: 0, block: Buffer.alloc(0), last: true },
    },
  ])("that $name", ({ bytes, frame }) => expect(read(bytes)).toEqual([frame]));

  test("goes out as SPDY/3.1 has it, byte for byte", () => {
    expect(dataFrame(0x01020304, Buffer.from("ab"), true).toString("hex")).toBe("01020304010000026162");
    expect(openFrame(1, Buffer.from("a")).toString("hex")).toBe("800300010000000b0000000100000000000061");
    expect(replyFrame(1, Buffer.from("a")).toString("hex")).toBe("80030002000000050000000161");
    expect(resetFrame(1).toString("hex")).toBe("80030003000000080000000100000003");
    expect(pingFrame(1).toString("hex")).toBe("800300060000000400000001");
  });

  test("of the largest size is taken, a larger one refused as soon as its head is there", () => {
    const head = (length: number): Buffer => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(length, 4);
      return bytes;
    };
    expect(read(head(1024 * 1024), Buffer.alloc(1024 * 1024))).toHaveLength(1);
    expect(() => read(head(1024 * 1024 + 1))).toThrow("a frame of 1048577 bytes, expected at most 1048576");
  });
});

test("however the bytes are cut, the frames are the same", () => {
  const frames = [
    openFrame(1, block),
    dataFrame(1, Buffer.from("some data"), false),
    pingFrame(2),
    dataFrame(1, block, true),
  ];
  const bytes = Buffer.concat(frames);
  const whole = read(...frames);
  expect(whole).toHaveLength(4);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sizes) => {
      const chunks: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i += 1) {
        const size = sizes[i % sizes.length] as number;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(read(...chunks)).toEqual(whole);
    }),
  );
});

test("a large frame that comes in small pieces is joined once, not at each piece", () => {
  const bytes = dataFrame(1, Buffer.alloc(1024 * 1024 - 8), false);
  const reader = new FrameReader();
  const concat = jest.spyOn(Buffer, "concat");
  try {
    const frames: SpdyFrame[] = [];
    for (let at = 0; at < bytes.length; at += 4096) frames.push(...reader.take(bytes.subarray(at, at + 4096)));
    expect(frames).toHaveLength(1);
    expect(concat).toHaveBeenCalledTimes(1);
  } finally {
    concat.mockRestore();
  }
});

describe("headers", () => {
  test("come back as they were, names in lower case, for any bytes", () => {
    const headers = { streamType: "error", Port: "80", empty: "", "x-ü": "€" };
    expect([...readHeaders(headerBlock(headers))]).toEqual([
      ["streamtype", "error"],
      ["port", "80"],
      ["empty", ""],
      ["x-ü", "€"],
    ]);
    expect(headerBlock({ A: "b" }).toString("hex")).toBe("00000001000000016100000001" + "62");
  });

  test("that were written in capitals by others are found in lower case", () => {
    const bytes = headerBlock({ port: "80" });
    bytes.write("PORT", 8);
    expect(readHeaders(bytes).get("port")).toBe("80");
  });

  test.each([0, 3, 7, 10, 12, 15])("that end after %i bytes are refused", (length) => {
    expect(() => readHeaders(headerBlock({ port: "80" }).subarray(0, length))).toThrow("ends too early");
  });
});
