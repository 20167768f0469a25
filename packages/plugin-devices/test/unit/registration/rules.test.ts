import { describe, expect, test } from "@jest/globals";
import {
  checkSocketPath,
  dialPath,
  registrationFault,
  registrationHealth,
  watchedPluginFault,
} from "../../../src/registration/rules.js";
import { GPU } from "../../devices.js";

describe("which plugins may register", () => {
  test("a plugin of this version with an extended resource", () => {
    expect(registrationFault({ version: "v1beta1", resourceName: GPU })).toBeUndefined();
    expect(watchedPluginFault(GPU, ["v1alpha", "v1beta1"])).toBeUndefined();
  });

  test.each([
    {
      name: "another version",
      fault: registrationFault({ version: "v1alpha", resourceName: GPU }),
      text: 'requested API version "v1alpha" is not supported by kubelet. Supported version is ["v1beta1"]',
    },
    {
      name: "a name that is none of an extended resource",
      fault: registrationFault({ version: "v1beta1", resourceName: "cpu" }),
      text: 'the ResourceName "cpu" is invalid',
    },
    {
      name: "other versions, of a plugin that was found",
      fault: watchedPluginFault(GPU, ["v1alpha", "v2"]),
      text: "manager version, v1beta1, is not among plugin supported versions [v1alpha v2]",
    },
    {
      name: "no versions, of a plugin that was found",
      fault: watchedPluginFault(GPU, []),
      text: "manager version, v1beta1, is not among plugin supported versions []",
    },
    {
      name: "a wrong name, of a plugin that was found",
      fault: watchedPluginFault("cpu", ["v1beta1"]),
      text: 'invalid name of device plugin socket: the ResourceName "cpu" is invalid',
    },
  ])("not $name, in the kubelet's words", ({ fault, text }) => {
    expect(fault).toBe(text);
  });
});

test("a plugin's socket is in the folder, whatever its endpoint says", () => {
  expect(["gpu.sock", "/gpu.sock", "./sub//gpu.sock"].map((endpoint) => dialPath("/plugins", endpoint))).toEqual([
    "/plugins/gpu.sock",
    "/plugins/gpu.sock",
    "/plugins/sub/gpu.sock",
  ]);
});

test("a server that no longer serves is reported at /healthz with the kubelet's message", () => {
  expect(registrationHealth(undefined)).toEqual({ ok: true });
  expect(registrationHealth("address in use")).toEqual({
    ok: false,
    message:
      "device registration error: device plugin registration gRPC server failed and no device plugins can register: address in use",
  });
});

test("the registration socket has an absolute path", () => {
  expect(() => checkSocketPath("/plugins/kubelet.sock")).not.toThrow();
  expect(() => checkSocketPath("plugins/kubelet.sock")).toThrow(
    "bad socketPath, must be an absolute path: plugins/kubelet.sock",
  );
});
