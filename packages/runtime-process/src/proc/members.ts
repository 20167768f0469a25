/** Finds the processes of a container where no cgroup holds them together: by session, mount namespace and mark. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readStat } from "./stat.js";

export interface MemberTraits {
  /** Pid of the first process, which leads the session. */
  readonly session: number;
  /** Nothing that started before this tick belongs to the container. */
  readonly notBefore: string;
  /** `mnt:[4026532345]`, when the container has one of its own. */
  readonly namespace?: string;
  /** `NAME=value` in the environment of the container's processes, when it has neither namespace nor cgroup. */
  readonly mark?: string;
}

/** One look over /proc. Zombies are left out. */
export function findMembers(traits: MemberTraits): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) continue;
    if (isMember(pid, traits)) found.push(pid);
  }
  return found;
}

function isMember(pid: number, traits: MemberTraits): boolean {
  const stat = readStat(pid);
  if (stat === undefined || stat.state === "Z" || stat.state === "X") return false;
  if (BigInt(stat.startTicks) < BigInt(traits.notBefore)) return false;
  if (stat.session === traits.session) return true;
  if (traits.namespace !== undefined && namespaceOf(pid) === traits.namespace) return true;
  return traits.mark !== undefined && environmentOf(pid).split("\0").includes(traits.mark);
}

/** Undefined when the process is gone or is somebody else's. */
export function namespaceOf(pid: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/mnt`));
}

function environmentOf(pid: number): string {
  return quietly(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
}

/** A process may end at any moment, and one that we may not look into is none of ours. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
