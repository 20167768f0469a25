import type { Fields } from "@hooklet/streams/grpc";
import { describe, expect, test } from "@jest/globals";
import { grpcOutcome, LONGEST_MESSAGE, streamReset } from "../../../src/handlers/grpc-answer.js";

const HEADERS: Fields = { ":status": 200, "content-type": "application/grpc" };
const framed = (message: Buffer, flag = 0, length = message.length): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
};
const outcome = (trailers: Fields, body: Buffer = Buffer.alloc(0), headers = HEADERS) =>
  grpcOutcome({ headers, trailers, message: "why", body, statusText: "Words" }, String);

describe("an answer in order", () => {
  test("one message and the status 0: the message's health", () => {
    expect(outcome({ "grpc-status": "0" }, framed(Buffer.from("SERVING")))).toEqual({
      type: "status",
      status: "SERVING",
    });
  });

  test.each(["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8", "Application/GRPC"])(
    "the content type %s is gRPC's",
    (type) => {
      const headers = { ":status": 200, "content-type": type };
      expect(outcome({ "grpc-status": "0" }, framed(Buffer.from("x")), headers)).toEqual({
        type: "status",
        status: "x",
      });
    },
  );
});

test("a stream that ends without trailers has no status, with any headers and message", () => {
  const headers = { ...HEADERS, "grpc-status": "0" };
  const answer = { headers, trailers: undefined, message: "", body: framed(Buffer.from("SERVING")), statusText: "OK" };
  expect(grpcOutcome(answer, String)).toEqual({
    type: "error",
    code: "Internal",
    text: "server closed the stream without sending trailers",
  });
});

describe("a status that is not OK", () => {
  test.each([
    { given: "1", code: "Canceled" },
    { given: "5", code: "NotFound" },
    { given: "13", code: "Internal" },
    { given: "16", code: "Unauthenticated" },
    { given: "17", code: "Code(17)" },
    { given: "99", code: "Code(99)" },
    { given: "no number", code: "Unknown" },
    { given: "-1", code: "Unknown" },
    { given: undefined, code: "Unknown" },
  ])("$given is $code", ({ given, code }) => {
    expect(outcome({ "grpc-status": given })).toEqual({ type: "error", code, text: "why" });
  });

  test("12: the server has no health service; 4: the time was over", () => {
    expect(outcome({ "grpc-status": "12" })).toEqual({ type: "unimplemented", text: "why" });
    expect(outcome({ "grpc-status": "4" })).toEqual({ type: "no-answer" });
  });

  test("a text is cut at 8 KiB", () => {
    const answer = { headers: HEADERS, trailers: { "grpc-status": "2" }, body: Buffer.alloc(0), statusText: "OK" };
    const { text } = grpcOutcome({ ...answer, message: "x".repeat(9_000) }, String) as { readonly text: string };
    expect(text).toHaveLength(8_192);
  });
});

describe("an answer that is not gRPC's", () => {
  test.each([
    { http: 404, code: undefined, text: "unexpected HTTP status code received from server: 404 (Words)" },
    { http: 400, code: "Internal", text: "unexpected HTTP status code received from server: 400 (Words)" },
    { http: 401, code: "Unauthenticated", text: "unexpected HTTP status code received from server: 401 (Words)" },
    { http: 403, code: "PermissionDenied", text: "unexpected HTTP status code received from server: 403 (Words)" },
    { http: 429, code: "Unavailable", text: "unexpected HTTP status code received from server: 429 (Words)" },
    { http: 502, code: "Unavailable", text: "unexpected HTTP status code received from server: 502 (Words)" },
    { http: 503, code: "Unavailable", text: "unexpected HTTP status code received from server: 503 (Words)" },
    { http: 504, code: "Unavailable", text: "unexpected HTTP status code received from server: 504 (Words)" },
    { http: 500, code: "Unknown", text: "unexpected HTTP status code received from server: 500 (Words)" },
  ])("HTTP status $http", ({ http, code, text }) => {
    const headers = { ":status": http, "content-type": "application/grpc" };
    const expected = code === undefined ? { type: "unimplemented", text } : { type: "error", code, text };
    expect(outcome({ "grpc-status": "0" }, framed(Buffer.from("x")), headers)).toEqual(expected);
  });

  test("no content type, and another one; with a status that is not 200 both are reported", () => {
    expect(outcome({}, undefined, { ":status": 200 })).toEqual({
      type: "error",
      code: "Unknown",
      text: "malformed header: missing HTTP content-type",
    });
    expect(outcome({}, undefined, { ":status": 500, "content-type": "application/grpcx" })).toEqual({
      type: "error",
      code: "Unknown",
      text: 'unexpected HTTP status code received from server: 500 (Words); transport: received unexpected content-type "application/grpcx"',
    });
  });
});

describe("the message", () => {
  const ok = { "grpc-status": "0" };
  test.each([
    { name: "none", body: Buffer.alloc(0), code: "Internal", text: /received no response message/ },
    { name: "half a prefix", body: Buffer.alloc(4), code: "Internal", text: /received no response message/ },
    {
      name: "two",
      body: Buffer.concat([framed(Buffer.from("a")), framed(Buffer.from("b"))]),
      code: "Internal",
      text: /another message/,
    },
    { name: "one that breaks off", body: framed(Buffer.from("a"), 0, 2), code: "Internal", text: /^unexpected EOF$/ },
    { name: "a compressed one", body: framed(Buffer.from("a"), 1), code: "Internal", text: /compressed flag set/ },
    {
      name: "one too long",
      body: framed(Buffer.from("a"), 0, LONGEST_MESSAGE + 1),
      code: "ResourceExhausted",
      text: /\(65537 vs\. 65536\)$/,
    },
  ])("$name", ({ body, code, text }) => {
    expect(outcome(ok, body)).toEqual({ type: "error", code, text: expect.stringMatching(text) });
  });

  test("the longest that is taken", () => {
    const body = framed(Buffer.alloc(LONGEST_MESSAGE, "a"));
    expect(outcome(ok, body).type).toBe("status");
  });

  test("an unreadable one", () => {
    const answer = { headers: HEADERS, trailers: ok, message: "", body: framed(Buffer.from("a")), statusText: "OK" };
    const broken = (): never => {
      throw new Error("index out of range");
    };
    expect(grpcOutcome(answer, broken)).toEqual({
      type: "error",
      code: "Internal",
      text: "grpc: failed to unmarshal the received message: index out of range",
    });
  });
});

describe("a stream that the server reset", () => {
  test.each([
    { number: 1, code: "Internal", name: "PROTOCOL_ERROR" },
    { number: 7, code: "Unavailable", name: "REFUSED_STREAM" },
    { number: 8, code: "Canceled", name: "CANCEL" },
    { number: 11, code: "ResourceExhausted", name: "ENHANCE_YOUR_CALM" },
    { number: 12, code: "PermissionDenied", name: "INADEQUATE_SECURITY" },
    { number: 255, code: "Unknown", name: "unknown error code 0xff" },
  ])("$number is $code", ({ number, code, name }) => {
    const text = `stream terminated by RST_STREAM with error code: ${name}`;
    expect(streamReset(number)).toEqual({ type: "error", code, text });
  });
});
