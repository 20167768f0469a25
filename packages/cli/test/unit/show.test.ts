/** What is shown in formats for programs: names and templates cannot steer a terminal. */

import { describe, expect, test } from "@jest/globals";
import { parseTemplate } from "../../src/print/jsonpath/parse.js";
import type { OutputFormat } from "../../src/print/output-format.js";
import { type Kind, showAll, showOne } from "../../src/show.js";
import { fakeIo } from "../cli.js";

const evil = "esc\u001b[31mRED\u001b]0;TITLE\u0007\nfake-pod  1/1  Running";
const kind: Kind<string> = {
  name: (name) => `pod/${name}`,
  object: (name) => ({ metadata: { name } }),
  rows: () => ({ head: [], rows: [] }),
};
const formats: readonly OutputFormat[] = [
  { kind: "name" },
  { kind: "jsonpath", blocks: parseTemplate("{..metadata.name}") },
];

const isQuiet = (text: string): boolean => !text.includes("\u001b") && !text.includes("\u0007");

describe.each(formats)("-o $kind", (format) => {
  test("escapes control characters of names in a list", async () => {
    const io = fakeIo();
    await showAll({ io, version: "1.2.3", global: {} }, kind, [evil], { format, headers: true, nothing: "" });
    expect(io.stdout.text).toContain("esc^[[31mRED^[]0;TITLE^G");
    expect(isQuiet(io.stdout.text)).toBe(true);
  });

  test("escapes control characters of names in a watch", async () => {
    const io = fakeIo();
    await showOne(io, kind, evil, format);
    expect(io.stdout.text).toContain("esc^[[31mRED^[]0;TITLE^G");
    expect(isQuiet(io.stdout.text)).toBe(true);
  });
});

test("-o name writes one line for each name, also where the name has line breaks", async () => {
  const io = fakeIo();
  await showOne(io, kind, evil, { kind: "name" });
  await showAll({ io, version: "1.2.3", global: {} }, kind, [evil], {
    format: { kind: "name" },
    headers: true,
    nothing: "",
  });
  expect(io.stdout.text.trimEnd().split("\n")).toHaveLength(2);
});
