import { describe, expect, test } from "@jest/globals";
import { checkLaunch, encodeLaunch } from "../../../src/container/state-file.js";

type Given = Parameters<typeof checkLaunch>[0];
const given = (parts: Partial<Given>): Given => ({ argv: ["app"], env: [], workingDir: "/", ...parts });
const refused = (parts: Partial<Given>, message: string): void =>
  expect(() => checkLaunch(given(parts))).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
  );
const KIB = 1024;

test("a launch file holds each value as it is, up to its NUL", () => {
  const env = [
    ["A", "x=\ny"],
    ["EMPTY", ""],
  ] as const;
  expect(encodeLaunch({ argv: ["sh", "", "\n"], env, workingDir: "/w" })).toBe(
    "/w\0" + "2\0A=x=\ny\0EMPTY=\0sh\0\0\n\0",
  );
});

describe("what the kernel cannot start is refused by name", () => {
  test("a word of 128 KiB, its end included", () => {
    const most = "a".repeat(128 * KIB - 1);
    checkLaunch(given({ argv: ["echo", most], env: [["A", most.slice(2)]] }));
    refused({ argv: ["echo", `${most}a`] }, "word 2 of command and args has 131072 bytes");
    refused({ argv: ["echo", "\u00fc".repeat(64 * KIB)] }, "word 2 of command and args has 131072 bytes");
    refused({ env: [["A", most.slice(1)]] }, "environment variable A has 131072 bytes");
  });

  test("words and variables of two mebibytes together, with a pointer to each", () => {
    const words = (count: number) => Array.from({ length: count }, () => "a".repeat(64 * KIB));
    checkLaunch(given({ argv: words(31) }));
    refused(
      { argv: words(16), env: [["A", "x"], ...words(16).map((value, at) => [`N${at}`, value] as const)] },
      "bytes together",
    );
    refused({ argv: Array.from({ length: 240_000 }, () => "") }, "bytes together");
  });

  test("ten thousand variables and one", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => [`N${at}`, ""] as const);
    checkLaunch(given({ env: many(10_000) }));
    refused({ env: many(10_001) }, "10001 environment variables");
  });

  test("a NUL anywhere", () => {
    for (const parts of [{ argv: ["a\0"] }, { workingDir: "/\0" }]) refused(parts, "must not hold NUL");
  });
});
