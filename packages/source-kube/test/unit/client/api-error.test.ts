/** What an answer of the API server means for who asked. */
import { describe, expect, test } from "@jest/globals";
import {
  ApiError,
  answerError,
  isApiError,
  isGone,
  isPassing,
  UNREACHABLE,
  watchError,
} from "../../../src/client/api-error.js";

const answered = (status: number, reason = "") => new ApiError(status, reason, "m");

describe("an answer that is an error", () => {
  const status = JSON.stringify({ kind: "Status", reason: "NotFound", message: 'pods "a" not found' });

  test.each([
    {
      name: "has the server's reason and words",
      found: () => answerError("GET /x", 404, status),
      expected: { status: 404, reason: "NotFound", message: 'GET /x was answered with 404: pods "a" not found' },
    },
    {
      name: "that is no object of the API is reported by its beginning",
      found: () => answerError("GET /x", 502, `<html>${"x".repeat(300)}`),
      expected: { status: 502, reason: "", message: `GET /x was answered with 502: <html>${"x".repeat(194)}` },
    },
    {
      name: "without a body is reported as such",
      found: () => answerError("GET /x", 500, ""),
      expected: { status: 500, reason: "", message: "GET /x was answered with 500: no words" },
    },
    {
      name: "whose reason and message are no text is reported by its body",
      found: () => answerError("GET /x", 500, '{"reason":1,"message":2}'),
      expected: { status: 500, reason: "", message: 'GET /x was answered with 500: {"reason":1,"message":2}' },
    },
    {
      name: "that is null is reported by its body",
      found: () => answerError("GET /x", 500, "null"),
      expected: { status: 500, reason: "", message: "GET /x was answered with 500: null" },
    },
  ])("$name", ({ found, expected }) => {
    const error = found();
    expect({ status: error.status, reason: error.reason, message: error.message }).toEqual(expected);
    expect([error.name, error.code]).toEqual(["ApiError", "KUBE_API"]);
  });

  test("has at most 2000 letters of the server's words", () => {
    const { message } = answerError("GET /x", 500, JSON.stringify({ message: "x".repeat(5_000) }));
    expect(message).toBe(`GET /x was answered with 500: ${"x".repeat(2_000)}`);
  });

  test.each([
    { header: "7", seconds: 7 },
    { header: "0", seconds: 0 },
    { header: "3600", seconds: 60 },
    { header: "-1", seconds: undefined },
    { header: "Wed, 21 Oct 2026 07:28:00 GMT", seconds: undefined },
    { header: undefined, seconds: undefined },
  ])("that asks to wait ($header) is waited for: $seconds seconds, a minute at most", ({ header, seconds }) => {
    expect(answerError("GET /x", 429, "", header).retryAfterSeconds).toBe(seconds);
  });
});

describe("the end of a watch", () => {
  test("has the server's message", () => {
    const { status, reason, message } = watchError("GET /x", { code: 410, reason: "Expired", message: "too old" });
    expect({ status, reason, message }).toEqual({
      status: 410,
      reason: "Expired",
      message: "GET /x was ended by the server: too old",
    });
  });

  test.each([{ object: undefined }, { object: null }, { object: { code: "410", reason: 1, message: {} } }])(
    "without proper words ($object) is a fault of the server",
    ({ object }) => {
      const { status, reason, message } = watchError("GET /x", object);
      expect({ status, reason, message }).toEqual({
        status: 500,
        reason: "",
        message: "GET /x was ended by the server: no words",
      });
    },
  );
});

describe("an error", () => {
  test("is the API's by its code, whichever copy of the package made it; of one of the statuses that are asked for", () => {
    const copy = Object.assign(new Error("m"), { code: "KUBE_API", status: 404 });
    expect([isApiError(copy), isApiError(copy, 404), isApiError(copy, 409, 404), isApiError(copy, 409)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const others = [
      new Error("m"),
      Object.assign(new Error("m"), { code: "ECONNRESET" }),
      { code: "KUBE_API", status: 404 },
      undefined,
    ];
    expect(others.map((one) => isApiError(one))).toEqual([false, false, false, false]);
  });

  test.each([
    { status: UNREACHABLE, passing: true },
    { status: 400, passing: false },
    { status: 404, passing: false },
    { status: 429, passing: true },
    { status: 499, passing: false },
    { status: 500, passing: true },
    { status: 503, passing: true },
  ])("of status $status may pass by itself: $passing", ({ status, passing }) => {
    expect(isPassing(answered(status))).toBe(passing);
  });

  test("of another kind does not pass by itself, and is no expired history", () => {
    expect([isPassing(new Error("m")), isGone(new Error("m"))]).toEqual([false, false]);
  });

  test.each([
    { error: answered(410), gone: true },
    { error: answered(500, "Expired"), gone: true },
    { error: answered(500, "Gone"), gone: true },
    { error: answered(500, "InternalError"), gone: false },
    { error: answered(409, "Conflict"), gone: false },
  ])("$error.status $error.reason: the history is gone: $gone", ({ error, gone }) => {
    expect(isGone(error)).toBe(gone);
  });
});
