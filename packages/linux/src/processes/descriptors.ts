/** Open files that this process was started with. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/**
 * Closes inherited descriptors other than stdin, stdout and stderr, as a daemon does: each container would inherit them, with the agent's
 * rights. Node's own descriptors are close-on-exec, and stay. Returns what was closed. Linux; elsewhere it does nothing.
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
