/** The files that the containers of a pod share. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SandboxConfig } from "@hooklet/core/host";
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
  mkdirSync(paths.shm);
  chmodSync(paths.shm, 0o1777);
  const resolvConf = config.dns === undefined ? machineResolvConf() : encodeResolvConf(config.dns);
  writeFileSync(paths.resolvConf, resolvConf, { mode: 0o644 });
  writeFileSync(paths.hostname, `${hostnameOf(config)}\n`, { mode: 0o644 });
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
