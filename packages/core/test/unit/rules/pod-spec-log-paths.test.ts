import { expect, test } from "@jest/globals";
import { containerLogPath } from "../../../src/pod/spec/container-config.js";
import { podLogDirectory } from "../../../src/pod/spec/sandbox-config.js";
import { aPod } from "../../pod/pods.js";

test.each([
  aPod({}, { name: "x/../../../../etc/evil" }),
  aPod({}, { namespace: "../.." }),
  aPod({}, { uid: "u/.." }),
  aPod({}, { uid: "u\0" }),
])("the log folder of $metadata.namespace, $metadata.name, $metadata.uid leads nowhere else: there is none", (pod) => {
  expect(() => podLogDirectory("/var/log/pods", pod)).toThrow("cannot be part of a path");
});

test.each(["..", ".", "", "../x", "a/b"])("a container called %j has no log path", (name) => {
  expect(() => containerLogPath(name, 0)).toThrow("cannot be part of a path");
});
