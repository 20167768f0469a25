import { sleep, systemClock } from "@hooklet/core";
import { describeRuntime, posixPrograms } from "@hooklet/testkit";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { Containerd, noContainerd, openRuntime } from "./containerd.js";

let containerd: Containerd;

if (noContainerd !== undefined) {
  describe("runtime cri (containerd)", () => {
    test.skip(`passes the conformance suite: ${noContainerd}`, () => undefined);
  });
} else {
  beforeAll(async () => {
    containerd = await Containerd.start("suite");
  }, 60_000);
  afterAll(() => containerd.stop(), 60_000);

  describeRuntime("cri (containerd)", {
    open: (directory) => openRuntime(containerd.endpoint, directory),
    programs: posixPrograms("busybox:1.36"),
    powers: { mounts: true, users: true, pulls: false, resources: true, events: true },
    clock: systemClock,
    pass: (milliseconds) => sleep(systemClock, milliseconds),
  });
}
