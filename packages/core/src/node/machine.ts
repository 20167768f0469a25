/** Reads what the machine has, through the host. */
import os from "node:os";
import type { Host } from "@hooklet/linux";
import { errorText, hostUnavailable } from "@hooklet/utils";
import type { MachineFacts } from "./capacity.js";
import { hugePages, meminfoBytes } from "./machine-facts.js";

/**
 * Processors, memory, huge pages, and the disk under `rootDir` (which must exist).
 * @throws NodeAgentError HOST_UNAVAILABLE when the disk cannot be read
 */
export async function readMachine(host: Host, rootDir: string, hugePagesDir?: string): Promise<MachineFacts> {
  return {
    cpus: host.cpus,
    memoryBytes: meminfoBytes(host.kernel.read("/proc/meminfo") ?? "", "MemTotal") ?? os.totalmem(),
    diskBytes: await diskCapacity(host, rootDir),
    hugePages: hugePages(host.kernel, hugePagesDir),
  };
}

async function diskCapacity(host: Host, directory: string): Promise<number> {
  try {
    return (await host.statfs(directory)).capacityBytes;
  } catch (cause) {
    const what = `The size of the disk under ${directory} could not be read: ${errorText(cause)}`;
    throw hostUnavailable(`${what}. Expected a directory that exists`, { cause });
  }
}

// biome-ignore format: one platform per line
const GOARCH: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le", mipsel: "mipsle" };

/** GOOS and GOARCH of this machine. */
export function readPlatform(): { readonly os: string; readonly arch: string } {
  return {
    os: process.platform === "win32" ? "windows" : process.platform,
    arch: GOARCH[process.arch] ?? process.arch,
  };
}

/** The first address that others can reach: IPv4 before IPv6, 127.0.0.1 where there is none. */
export function readAddress(interfaces = os.networkInterfaces()): string {
  const outer = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  const first = outer.find(({ family }) => family === "IPv4") ?? outer[0];
  return first?.address ?? "127.0.0.1";
}

function isLinkLocal(address: string): boolean {
  return address.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/i.test(address);
}
