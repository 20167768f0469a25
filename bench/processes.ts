/** CPU time and memory of processes, from /proc. */
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** User and system time so far, in seconds; with `children`: also that of children that ended and were waited for. */
export async function cpuSecondsOf(pid: number, children = false): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  const ticks = fields.slice(11, children ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

/** Now, or the most so far. */
export async function residentBytesOf(pid: number, field: "VmRSS" | "VmHWM" = "VmRSS"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
}

/** The containerd of this socket and all its shims, with what they started and waited for. */
export async function runtimeCpuSeconds(socket: string): Promise<number> {
  let sum = 0;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    try {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8");
      if (/^[^\0]*containerd/.test(command) && command.includes(socket.replace(/\/[^/]*$/, "")))
        sum += await cpuSecondsOf(Number(pid), true);
    } catch (error) {
      // Gone meanwhile.
      if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return sum;
}
