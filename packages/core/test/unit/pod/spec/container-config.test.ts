import { expect, test } from "@jest/globals";
import { containerHash, tooLongToNote } from "../../../../src/pod/spec/container-config.js";

test("a container's hash is the kubelet's", () => {
  // Recorded from a kubelet 1.33.
  expect(containerHash({ name: "main", image: "hk.local/busybox:1" })).toBe("7f20e193");
});

test("a hook or a list of ports that is too long for an annotation is named with what that costs", () => {
  const command = ["x".repeat(16 * 1024)];
  const ports = Array.from({ length: 1_000 }, (_, index) => ({ containerPort: index + 1, name: `port-${index}` }));
  expect(tooLongToNote({ name: "main", lifecycle: { preStop: { exec: { command: ["true"] } } } })).toEqual([]);
  expect(tooLongToNote({ name: "main", lifecycle: { preStop: { exec: { command } } }, ports })).toEqual([
    expect.stringMatching(/^the preStop hook has 16\d+ bytes.*hooklet stops the container without the hook.*shorter$/),
    expect.stringMatching(/^the list of ports has \d+ bytes.*do not see the ports/),
  ]);
});
