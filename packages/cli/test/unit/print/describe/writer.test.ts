import { expect, test } from "@jest/globals";
import { DescribeWriter } from "../../../../src/print/describe/writer.js";

function written(write: (out: DescribeWriter) => void): string {
  const out = new DescribeWriter();
  write(out);
  return out.toString();
}

test("a value of a map has one line, of at most 140 characters", () => {
  const map = { b: " one \n\n two ", c: "x".repeat(140), d: "x".repeat(141), a: "" };
  expect(written((out) => out.map("Labels", map, "="))).toBe(
    ["Labels:\ta=", "\tb= one two ", `\tc=${"x".repeat(140)}`, `\td=${"x".repeat(137)}...`].join("\n"),
  );
});

test.each(
  ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].map(
    (name, at) => [name, at] as const,
  ),
)("times have the month %s", (name, at) => {
  const month = String(at + 1).padStart(2, "0");
  expect(written((out) => out.time(1, "Started", `2026-${month}-09T13:04:05Z`))).toMatch(
    new RegExp(`^  Started:\\t[A-Z][a-z]{2}, 09 ${name} 2026 13:04:05 \\+0000$`),
  );
});

test.each(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map((name, at) => [name, at] as const))(
  "times have the day %s",
  (name, at) => {
    // The first of February 2026 is a Sunday.
    expect(written((out) => out.time(0, "At", `2026-02-0${at + 1}T00:00:00Z`))).toBe(
      `At:\t${name}, 0${at + 1} Feb 2026 00:00:00 +0000`,
    );
  },
);

test("a time that is not there has no line", () => {
  expect(
    written((out) => {
      out.time(0, "A", undefined);
      out.time(0, "B", null);
    }),
  ).toBe("");
});
