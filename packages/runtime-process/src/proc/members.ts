/** Finds the processes of a container where no cgroup holds them together: by session, mark and mount namespace. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { identify, type ProcessIdentity, type ProcessStat, parseStat, readStat } from "@hooklet/linux";

/** Processes that name this path in their command line: shims and set-ups of one container. Reads /proc. */
export function findByCommand(path: string): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return [];
      // First the identity: another process with this pid would have another start time.
      const found = identify(pid);
      return found !== undefined && readCommandLine(pid).includes(path) ? [found] : [];
    });
}

/** /proc/<pid>/cmdline, each word ended by a NUL; "" when the process has gone or is a zombie. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // Gone meanwhile.
    return "";
  }
}

/** Set for every process of a container that has no cgroup, from its very first one. */
export const MARK = "HOOKLET_CONTAINER_ID";

interface MemberTraits {
  readonly id: string;
  /** The first process; it leads the session. It may be gone. */
  readonly main: ProcessIdentity;
  /** `mnt:[4026532345]`. Only while the namespace exists: the kernel reuses the numbers. */
  readonly namespace?: string;
}

/** Reads /proc once. Zombies are left out. */
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

/** Undefined when the process is gone or belongs to others. */
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

/** A process may end at any moment, and one that cannot be read is none of ours. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Processes read in one turn of the event loop: some 2 ms. */
const IN_A_TURN = 64;

const onMachine = {
  pids: (): readonly number[] => readdirSync("/proc").map(Number),
  stat: readStat,
};

export class LivingProcesses {
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly ProcessStat[]> | undefined;

  constructor(private readonly files: typeof onMachine = onMachine) {}

  /** All processes of the machine that are no zombies. The read begins after the call; callers that come while one is under way share the next. */
  list(): Promise<readonly ProcessStat[]> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(running: Promise<unknown>): Promise<readonly ProcessStat[]> {
    await running;
    this.#next = undefined;
    const read = this.#read();
    this.#running = read.catch(() => undefined);
    return read;
  }

  async #read(): Promise<readonly ProcessStat[]> {
    const pids = this.files.pids().filter((pid) => Number.isInteger(pid) && pid > 1);
    const living: ProcessStat[] = [];
    for (const [at, pid] of pids.entries()) {
      if (at > 0 && at % IN_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      const stat = this.files.stat(pid);
      if (stat !== undefined && stat.state !== "Z" && stat.state !== "X") living.push(stat);
    }
    return living;
  }
}

// Who a container's processes are.

/** A container's first process and its shim, within one boot of the machine. */
export interface ContainerProcesses {
  readonly bootId: string;
  readonly main: ProcessIdentity;
  readonly shim: ProcessIdentity;
}

/** The file `pids` as the inner script writes it. Undefined when it is not whole. */
export function parsePids(text: string): ContainerProcesses | undefined {
  const [bootId, main, shim, end] = text.split("\n");
  if (bootId === undefined || main === undefined || shim === undefined || end !== "end") return undefined;
  const mainStat = parseStat(main);
  const shimStat = parseStat(shim);
  if (mainStat === undefined || shimStat === undefined || mainStat.pid <= 1 || shimStat.pid <= 1) return undefined;
  return {
    bootId,
    main: { pid: mainStat.pid, startTicks: mainStat.startTicks },
    shim: { pid: shimStat.pid, startTicks: shimStat.startTicks },
  };
}

export function currentBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
