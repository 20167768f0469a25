/** Kills every process of a container and waits until they are gone. */
import { constants } from "node:os";
import { sleep } from "@hooklet/core";
import { identify, type ProcessIdentity, RuntimeError } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import { findMembers } from "../proc/members.js";
import type { Container } from "./container.js";

const PATIENCE_MS = 10_000;

/** Rejects with `deadline-exceeded` when a process does not go, which means that the kernel holds it. */
export async function sweep(deps: Deps, container: Container): Promise<void> {
  const started = deps.clock.monotonic();
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const members = membersOf(deps, container);
    if (members.length === 0) return;
    if (deps.clock.monotonic() - started > PATIENCE_MS) {
      throw new RuntimeError(
        "deadline-exceeded",
        `container ${container.id}: processes ${listed(members)} did not end ${PATIENCE_MS / 1000} s after KILL; they may wait for a disk or network`,
      );
    }
    const kill = (member: ProcessIdentity): Promise<boolean> => deps.signals.send(member, constants.signals.SIGKILL);
    if (inCgroup(container)) await container.cgroup?.kill(kill);
    else await Promise.all(members.map(kill));
    await sleep(deps.clock, pause);
  }
}

function listed(members: readonly ProcessIdentity[]): string {
  return members
    .slice(0, 10)
    .map(({ pid }) => pid)
    .join(", ");
}

/** All its processes, without the shim. */
function membersOf(deps: Deps, container: Container): readonly ProcessIdentity[] {
  if (inCgroup(container)) return (container.cgroup?.members() ?? []).flatMap((pid) => identify(pid) ?? []);
  const { processes, namespace } = container;
  if (processes === undefined || processes.bootId !== deps.bootId) return [];
  return findMembers({ id: container.id, main: processes.main, ...(namespace !== undefined && { namespace }) });
}

function inCgroup(container: Container): boolean {
  return container.cgroup?.exists ?? false;
}
