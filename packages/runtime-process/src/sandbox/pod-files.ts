/** The files that the containers of a pod share. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type SandboxConfig, writeOwn } from "@hooklet/core/host";
import { isMissing } from "../fs-errors.js";
import type { Layout } from "../layout.js";

export interface PodPaths {
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
 * Makes anew what is gone, or is something else by now: nothing could be mounted from there, or what a link leads to. Returns what it was.
 * A file stays with what is in it: containers may write there.
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

/** A pod on the machine's network has no name of its own: it goes by the machine's. */
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
