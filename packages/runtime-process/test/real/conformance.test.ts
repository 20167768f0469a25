import { sleep } from "@hooklet/core";
import { describeRuntime, posixPrograms } from "@hooklet/testkit";
import { systemClock } from "@hooklet/utils";
import { cgroupsWork, isRoot, openRuntime } from "../harness.js";

describeRuntime(`process (${isRoot ? "root" : "ordinary user"})`, {
  open: (directory) => openRuntime(directory),
  programs: posixPrograms("host"),
  powers: { mounts: true, users: isRoot, pulls: true, resources: cgroupsWork, events: true },
  clock: systemClock,
  pass: (milliseconds) => sleep(systemClock, milliseconds),
});
