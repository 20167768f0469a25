/** Finds the processes of a container where no cgroup holds them together: by session, mark and mount namespace. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type ProcessIdentity, type ProcessStat, readStat } from "@hooklet/core/host";

/** Set for every process of a container that has no cgroup, from its very first one. */
export const MARK = "HOOKLET_CONTAINER_ID";

export interface MemberTraits {
  readonly id: string;
  /** The first process; it leads the session. It may be gone. */
  readonly main: ProcessIdentity;
  /** `mnt:[4026532345]`. Only while it cannot have gone to somebody else: the kernel uses the numbers again. */
  readonly namespace?: string;
}

/** One look over /proc. Zombies are left out. */
export function findMembers(traits: MemberTraits): ProcessIdentity[] {
  // While a session has members its number is no new process's pid.
  const leader = readStat(traits.main.pid);
  const sessionLives = leader === undefined || leader.startTicks === traits.main.startTicks;
  const found: ProcessIdentity[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) continue;
    const stat = readStat(pid);
    if (stat === undefined || !isMember(pid, stat, traits, sessionLives)) continue;
    found.push({ pid, startTicks: stat.startTicks });
  }
  return found;
}

function isMember(
  pid: number,
  stat: ProcessStat,
  { id, main, namespace }: MemberTraits,
  sessionLives: boolean,
): boolean {
  if (stat.state === "Z" || stat.state === "X") return false;
  if (BigInt(stat.startTicks) < BigInt(main.startTicks)) return false;
  if (sessionLives && stat.session === main.pid) return true;
  const mark = markOf(pid);
  if (mark !== undefined) return mark === id;
  return namespace !== undefined && namespaceOf(pid) === namespace;
}

/** Undefined when the process is gone or is somebody else's. */
export function namespaceOf(pid: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/mnt`));
}

function markOf(pid: number): string | undefined {
  const environment = quietly(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
  return environment
    .split("\0")
    .find((entry) => entry.startsWith(`${MARK}=`))
    ?.slice(MARK.length + 1);
}

/** A process may end at any moment, and one that we may not look into is none of ours. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
