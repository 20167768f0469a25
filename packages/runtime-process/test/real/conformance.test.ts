import { sleep } from "@hooklet/core";
import { systemClock } from "@hooklet/core/base";
import { describeRuntime, posixPrograms } from "@hooklet/testkit";
import { cgroupsWork, isRoot, openRuntime } from "../harness.js";

describeRuntime(`process (${isRoot ? "root" : "ordinary user"})`, {
  open: (directory) => openRuntime(directory),
  programs: posixPrograms("host"),
  powers: { mounts: true, users: isRoot, pulls: true, resources: cgroupsWork, events: true },
  clock: systemClock,
  pass: (milliseconds) => sleep(systemClock, milliseconds),
});
