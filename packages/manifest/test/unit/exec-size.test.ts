import { describe, expect, test } from "@jest/globals";
import type { Container } from "kubernetes-types/core/v1.js";
import { MAX_WORD_BYTES, neverStarts, tooLongToExec } from "../../src/exec-size.js";

const KIB = 1024;
const MOST = "a".repeat(MAX_WORD_BYTES);
const container = (fields: Partial<Container>): Container => ({ name: "main", ...fields });
const words = (count: number): string[] => Array.from({ length: count }, () => "a".repeat(64 * KIB));

describe("what the kernel takes of a command", () => {
  test("a word of 128 KiB, its end included", () => {
    expect(tooLongToExec("command", [MOST], [["A", MOST.slice(2)]])).toBeUndefined();
    expect(tooLongToExec("command", ["", `${MOST}a`], [])).toMatch(
      /^word 2 of command has 131072 bytes: the kernel takes at most 131071 of one; put /,
    );
    expect(tooLongToExec("command", [], [["A", MOST]])).toMatch(/^environment variable A has 131073 bytes/);
  });

  test("two mebibytes in all, with a pointer to each", () => {
    expect(tooLongToExec("command", words(31), [])).toBeUndefined();
    expect(tooLongToExec("command", words(32), [])).toMatch(
      /^command and the environment have 2097\d{3} bytes together/,
    );
    expect(tooLongToExec("command", Array(240_000).fill(""), [])).toMatch("bytes together");
  });
});

describe("a container that no kernel starts", () => {
  test.each<[string, Partial<Container>, string]>([
    ["a word of its args", { command: ["a"], args: [`${MOST}a`] }, "word 2 of command and args has 131072 bytes"],
    ["letters of several bytes", { args: ["\u00fc".repeat(64 * KIB)] }, "word 1 of command and args has 131072 bytes"],
    ["a variable", { env: [{ name: "A", value: MOST }] }, "environment variable A has 131073 bytes"],
    ["all together", { command: words(16), args: words(16) }, "command and args and the environment have 2097"],
    [
      "a probe's command",
      { livenessProbe: { exec: { command: [`${MOST}a`] } } },
      "word 1 of livenessProbe.exec.command has",
    ],
    [
      "a hook's command",
      { lifecycle: { preStop: { exec: { command: ["a", `${MOST}a`] } } } },
      "word 2 of lifecycle.preStop.exec.command has",
    ],
    ["what stands beside a reference", { args: [`${MOST}a$(A)`] }, "word 1 of command and args has 131072 bytes"],
  ])("for %s", (_, fields, message) => {
    expect(neverStarts(container(fields))).toContain(message);
  });

  test.each<[string, Partial<Container>]>([
    ["nothing is asked for", {}],
    ["references may come to less", { args: [`${MOST}$(NOTHING)`, "$$".repeat(MAX_WORD_BYTES)] }],
    [
      "a later variable of the same name is shorter",
      {
        env: [
          { name: "A", value: MOST },
          { name: "A", value: "" },
        ],
      },
    ],
    [
      "a value from elsewhere may replace it",
      {
        env: [
          { name: "A", value: MOST },
          { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
      },
    ],
    ["fields are null, as a server may send them", { args: null, env: null, lifecycle: null } as never],
  ])("not where %s", (_, fields) => {
    expect(neverStarts(container(fields))).toBeUndefined();
  });
});

test("references without an end cost no more than their bytes", () => {
  const began = performance.now();
  neverStarts(container({ args: ["$(".repeat(2_500_000), "$(a".repeat(1_500_000), `$(${"$".repeat(5_000_000)}`] }));
  expect(performance.now() - began).toBeLessThan(5_000);
});
