import { describe, expect, test } from "@jest/globals";
import { healthText, knowsCdi, statusFacts } from "../../../src/map/status.js";

const info = (config: unknown) => ({ info: { config: JSON.stringify(config) }, runtimeHandlers: [] });

describe("the facts of a verbose status", () => {
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
        runtimeHandlers: [
          { name: "runc", features: { recursiveReadOnlyMounts: true } },
          { name: "", features: { recursiveReadOnlyMounts: true } },
          { name: "gvisor", features: { recursiveReadOnlyMounts: false } },
        ],
      },
      facts: {
        sandboxImage: "pause:3.10",
        runtimeHandlers: ["", "gvisor", "runc"],
        recursiveReadOnlyHandlers: ["", "runc"],
      },
    },
    {
      name: "a runtime that lists handlers without features",
      given: { info: {}, runtimeHandlers: [{ name: "runc", features: null }] },
      facts: { runtimeHandlers: ["", "runc"] },
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
    {
      name: "names as they are in containerd's file",
      given: info({ pinned_images: { sandbox: "pause:3.9" } }),
      facts: { sandboxImage: "pause:3.9", runtimeHandlers: [""] },
    },
    {
      name: "a runtime whose text is no text of JSON",
      given: { info: { config: "{" }, runtimeHandlers: [] },
      facts: { runtimeHandlers: [""] },
    },
    {
      name: "a sandbox image that is no name",
      given: info({ sandboxImage: 7, pinnedImages: { sandbox: "pause:3" } }),
      facts: { sandboxImage: "pause:3", runtimeHandlers: [""] },
    },
    {
      name: "handlers in order, whatever the runtime's",
      given: { info: {}, runtimeHandlers: ["runc", "kata"].map((name) => ({ name, features: null })) },
      facts: { runtimeHandlers: ["", "kata", "runc"] },
    },
    { name: "one that names no sandbox image", given: info({ sandboxImage: "" }), facts: { runtimeHandlers: [""] } },
  ])("$name", ({ given, facts }) => {
    expect(statusFacts(given)).toEqual(facts);
  });
});

test.each([
  ["containerd", "1.6.20~ds1", false],
  ["containerd", "0.9.0", false],
  ["containerd", "v1.7.0", true],
  ["containerd", "2.0", true],
  ["containerd", "10.0.1", true],
  ["containerd", "v2.1.3", true],
  ["cri-o", "1.25.9", false],
  ["cri-o", "1.26.0", true],
  ["cri-o", "1.30.0", true],
  ["another", "0.1", true],
  ["containerd", "unknown", false],
  ["another", "unknown", true],
])("%s %s reads CDI devices: %s", (runtimeName, runtimeVersion, expected) => {
  expect(knowsCdi({ runtimeName, runtimeVersion, runtimeApiVersion: "v1" })).toBe(expected);
});

describe("whether the runtime is well", () => {
  const ready = (type: string) => ({ type, status: true, reason: "", message: "" });
  const not = (type: string) => ({ type, status: false, reason: "Down", message: "no cni config" });

  test("there is no fault where both conditions are true, whatever else the runtime reports", () => {
    expect(healthText([ready("NetworkReady"), ready("RuntimeReady"), not("ContainerdHasNoDeprecationWarnings")])).toBe(
      undefined,
    );
  });

  test.each([
    {
      name: "no network",
      given: [ready("RuntimeReady"), not("NetworkReady")],
      text: "container runtime network not ready: NetworkReady=false reason:Down message:no cni config",
    },
    {
      name: "no runtime",
      given: [not("RuntimeReady"), ready("NetworkReady")],
      text: "container runtime not ready: RuntimeReady=false reason:Down message:no cni config",
    },
    {
      name: "neither",
      given: [not("NetworkReady"), not("RuntimeReady")],
      text: [
        "container runtime not ready: RuntimeReady=false reason:Down message:no cni config",
        "container runtime network not ready: NetworkReady=false reason:Down message:no cni config",
      ].join(", "),
    },
    {
      name: "a condition that it does not tell",
      given: [ready("RuntimeReady")],
      text: "container runtime network not ready: NetworkReady=false reason:missing message:the runtime does not tell NetworkReady",
    },
  ])("$name has the kubelet's message", ({ given, text }) => {
    expect(healthText(given)).toBe(text);
  });
});
