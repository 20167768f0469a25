import { expect, test } from "@jest/globals";
import "../../src/index.js";
import { processWide } from "@hooklet/utils";
import { requireOneCore } from "../../src/one-core.js";

test("every entry of core reports its copy, once", () => {
  const copies = processWide("copies", () => new Set<string>());
  expect([...copies]).toEqual([expect.stringMatching(/packages\/core\/$/)]);
  expect(() => requireOneCore()).not.toThrow();
});

test("two copies are refused with the folders of both", () => {
  const loaded = new Set(["/srv/acme/node_modules/@hooklet/core/", "/opt/hooklet/node_modules/@hooklet/core/"]);
  expect(() => requireOneCore(loaded)).toThrow(
    expect.objectContaining({
      code: "SEVERAL_CORES",
      message: expect.stringContaining(
        "found /opt/hooklet/node_modules/@hooklet/core/ and /srv/acme/node_modules/@hooklet/core/",
      ),
    }),
  );
});
