/** Open files that this process was started with. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/**
 * Closes what was handed down beside stdin, stdout and stderr, as a daemon does: each container would have it too, with the agent's
 * rights. What Node opens itself is marked to be closed in children, and stays. Returns what was closed. Linux; elsewhere nothing.
 */
export function closeInheritedDescriptors(): readonly number[] {
  if (process.platform !== "linux") return [];
  // The channel to a parent that is Node too.
  if (process.channel !== undefined) return [];
  const inherited = readdirSync("/proc/self/fd").map(Number).filter(isInherited);
  for (const descriptor of inherited) closeSync(descriptor);
  return inherited;
}

function isInherited(descriptor: number): boolean {
  return descriptor > 2 && isHandedDown(flagsOf(descriptor));
}

/** `flags`: of /proc/self/fdinfo, octal; undefined when it is closed already. */
function isHandedDown(flags: string | undefined): boolean {
  return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}

function flagsOf(descriptor: number): string | undefined {
  try {
    return /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
  } catch {
    // The one by which the folder itself was read.
    return undefined;
  }
}
