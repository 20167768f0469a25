import { sleep } from "@hooklet/core";
import { describeRuntime, posixPrograms } from "@hooklet/testkit";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll } from "@jest/globals";
import { Containerd, describeOnContainerd, openRuntime } from "../containerd.js";

describeOnContainerd("the conformance suite of runtimes", () => {
  let containerd: Containerd;

  beforeAll(async () => {
    containerd = await Containerd.start("suite");
  }, 180_000);
  afterAll(() => containerd?.stop(), 180_000);

  describeRuntime("cri (containerd)", {
    open: (directory) => openRuntime(containerd.endpoint, directory),
    programs: posixPrograms("busybox:1.36"),
    // No registry is in reach: pulls are tried in images.test.ts.
    powers: { mounts: true, users: true, pulls: false, resources: true, events: true },
    clock: systemClock,
    pass: (milliseconds) => sleep(systemClock, milliseconds),
  });
});
