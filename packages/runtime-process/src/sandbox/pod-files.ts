/** The files that the containers of a pod share. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxConfig } from "@hooklet/core/host";
import { removeTree, writeOwn } from "@hooklet/linux";
import type { Starter } from "../command/starter.js";
import type { Layout } from "../layout.js";
import { isMissing } from "../state-text.js";

/** Does nothing when it is mounted already. */
export async function mountShm(starter: Starter, folder: string): Promise<void> {
  if (!isMounted(folder)) await starter.mountShm(folder);
}

/** Its content is removed first: the mount namespaces of other pods may keep the mount. Does nothing when it is not mounted. */
export async function unmountShm(starter: Starter, folder: string): Promise<void> {
  if (!isMounted(folder)) return;
  await removeTree(folder, { contentsOnly: true });
  await starter.unmountShm(folder);
}

function isMounted(folder: string): boolean {
  const own = lstatSync(folder, { throwIfNoEntry: false });
  return own !== undefined && own.dev !== lstatSync(dirname(folder)).dev;
}

interface PodPaths {
  readonly folder: string;
  readonly state: string;
  readonly shm: string;
  readonly resolvConf: string;
  readonly hostname: string;
}

export function podPaths(layout: Layout, sandboxId: string): PodPaths {
  const folder = join(layout.sandboxes, sandboxId);
  return {
    folder,
    state: join(folder, "state"),
    shm: join(folder, "shm"),
    resolvConf: join(folder, "resolv.conf"),
    hostname: join(folder, "hostname"),
  };
}

export function makePodFiles(paths: PodPaths, config: SandboxConfig): void {
  mkdirSync(paths.folder, { mode: 0o700 });
  mendPodFiles(paths, config);
}

/**
 * Creates again what is gone or has been replaced: nothing could be mounted from there, or what a link leads to. Returns what it was.
 * An existing file keeps its content: containers may write there.
 */
export function mendPodFiles(paths: PodPaths, config: SandboxConfig): readonly string[] {
  const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const mended: string[] = [];
  if (!isFile(paths.resolvConf)) {
    writeOwn(paths.resolvConf, config.dns === undefined ? machineResolvConf() : encodeResolvConf(config.dns), 0o644);
    mended.push(paths.resolvConf);
  }
  if (!isFile(paths.hostname)) {
    writeOwn(paths.hostname, `${hostnameOf(config)}\n`, 0o644);
    mended.push(paths.hostname);
  }
  if (!lstatSync(paths.shm, { throwIfNoEntry: false })?.isDirectory()) {
    rmSync(paths.shm, { force: true });
    mkdirSync(paths.shm);
    chmodSync(paths.shm, 0o1777);
    mended.push(paths.shm);
  }
  return mended;
}

/** A pod on the machine's network has the machine's hostname. */
export function hostnameOf(config: SandboxConfig): string {
  return config.hostname || hostname();
}

function machineResolvConf(): string {
  try {
    return readFileSync("/etc/resolv.conf", "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** As containerd and CRI-O write it. */
function encodeResolvConf(dns: NonNullable<SandboxConfig["dns"]>): string {
  return [
    ...(dns.searches.length === 0 ? [] : [`search ${dns.searches.join(" ")}\n`]),
    ...dns.servers.map((server) => `nameserver ${server}\n`),
    ...(dns.options.length === 0 ? [] : [`options ${dns.options.join(" ")}\n`]),
  ].join("");
}
