import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { rcText } from "../../../src/commands/init.js";

test.each([
  [
    "with containerd, as root",
    true,
    "/run/containerd/containerd.sock",
    { use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } },
  ],
  ["with containerd, as another user", false, "/run/containerd/containerd.sock", "process"],
  ["without any", true, undefined, "process"],
])("the runtime %s", (_, isRoot, criSocket, runtime) => {
  expect(parse(rcText({ name: "n", isRoot, criSocket, manifests: "./m" })).runtime).toEqual(runtime);
});
