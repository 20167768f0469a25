import { expect, test } from "@jest/globals";
import { containerHash } from "../../../src/pod/spec/container-config.js";

test("a container's hash is the kubelet's", () => {
  // Recorded from a kubelet 1.33.
  expect(containerHash({ name: "main", image: "hk.local/busybox:1" })).toBe("7f20e193");
});
