import { sleep } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import type { Container } from "./container.js";

const PATIENCE_MS = 5000;

/** The kernel lets go of a cgroup a moment after its last process. */
export async function removeCgroup(deps: Deps, container: Container): Promise<void> {
  const { cgroup } = container;
  if (cgroup === undefined) return;
  const until = deps.clock.monotonic() + PATIENCE_MS;
  for (let pause = 1; !cgroup.remove(); pause = Math.min(pause * 2, 100)) {
    if (deps.clock.monotonic() > until) {
      throw new RuntimeError(
        "deadline-exceeded",
        `cgroup ${cgroup.path} is still in use ${PATIENCE_MS / 1000} s after its last process`,
      );
    }
    await sleep(deps.clock, pause);
  }
}
