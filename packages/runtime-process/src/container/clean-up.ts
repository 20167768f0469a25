/** Kills a container's processes, its set-up and its shim, and waits until they are gone. */
import { mkdir } from "node:fs/promises";
import { constants } from "node:os";
import { sleep } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { identify, type ProcessIdentity } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import { findByCommand, findMembers } from "../proc/members.js";
import { allowing } from "../state-text.js";
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

/** No requested shim starts any more, and no process of the set-up is left when this resolves; one that the kernel holds is left, and reported. */
export async function endSetup(deps: Deps, container: Container): Promise<void> {
  const { claims, files } = container;
  for (let number = 0; number < claims; number++) await takeClaim(files.claim(number));
  await killSetup(deps, container);
}

/** False when a shim has it. A folder in its place keeps any shim from starting. */
export function takeClaim(path: string): Promise<boolean> {
  return allowing(["EEXIST"], mkdir(path, { mode: 0o700 }));
}

export async function killSetup(deps: Deps, container: Container): Promise<void> {
  const until = deps.clock.monotonic() + PATIENCE_MS;
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const found = findByCommand(container.folder);
    if (found.length === 0) return;
    if (deps.clock.monotonic() > until) {
      const pids = found.map(({ pid }) => pid).join(", ");
      deps.log.error({ container: container.id }, `processes ${pids} of its set-up did not end after KILL`);
      return;
    }
    await Promise.all(found.map((one) => deps.signals.send(one, constants.signals.SIGKILL)));
    await sleep(deps.clock, pause);
  }
}
