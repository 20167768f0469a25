import { describe, expect, test } from "@jest/globals";
import { knowsCdi, statusFacts } from "../src/facts.js";

const info = (config: unknown) => ({ info: { config: JSON.stringify(config) }, runtimeHandlers: [] });

describe("what a verbose status tells", () => {
  test.each([
    {
      name: "containerd 1.x",
      given: info({ sandboxImage: "registry.example/pause:3.9", containerd: { runtimes: { runc: {}, kata: {} } } }),
      facts: { sandboxImage: "registry.example/pause:3.9", runtimeHandlers: ["", "kata", "runc"] },
    },
    {
      name: "containerd 2",
      given: {
        ...info({ pinnedImages: { sandbox: "pause:3.10" } }),
        runtimeHandlers: [{ name: "" }, { name: "runc" }],
      },
      facts: { sandboxImage: "pause:3.10", runtimeHandlers: ["", "runc"] },
    },
    {
      name: "CRI-O",
      given: info({ sandboxImage: "pause:1" }),
      facts: { sandboxImage: "pause:1", runtimeHandlers: [""] },
    },
    {
      name: "a runtime that tells nothing",
      given: { info: {}, runtimeHandlers: [] },
      facts: { runtimeHandlers: [""] },
    },
    {
      name: "a runtime with words of its own",
      given: { info: { config: "none" }, runtimeHandlers: [] },
      facts: { runtimeHandlers: [""] },
    },
    { name: "one that names no sandbox image", given: info({ sandboxImage: "" }), facts: { runtimeHandlers: [""] } },
  ])("$name", ({ given, facts }) => {
    expect(statusFacts(given)).toEqual(facts);
  });
});

test.each([
  ["containerd", "1.6.20~ds1", false],
  ["containerd", "v1.7.0", true],
  ["containerd", "v2.1.3", true],
  ["cri-o", "1.25.9", false],
  ["cri-o", "1.30.0", true],
  ["another", "0.1", true],
])("%s %s reads CDI devices: %s", (runtimeName, runtimeVersion, expected) => {
  expect(knowsCdi({ runtimeName, runtimeVersion, runtimeApiVersion: "v1" })).toBe(expected);
});
