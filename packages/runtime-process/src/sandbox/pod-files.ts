/** The files that the containers of a pod share. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SandboxConfig } from "@hooklet/core";
import { unlessMissing } from "../fs-errors.js";
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

export async function makePodFiles(paths: PodPaths, config: SandboxConfig): Promise<void> {
  await mkdir(paths.folder, { mode: 0o700 });
  await mkdir(paths.shm);
  await chmod(paths.shm, 0o1777);
  const resolvConf = config.dns === undefined ? await machineResolvConf() : encodeResolvConf(config.dns);
  await writeFile(paths.resolvConf, resolvConf, { mode: 0o644 });
  await writeFile(paths.hostname, `${hostnameOf(config)}\n`, { mode: 0o644 });
}

/** A pod on the machine's network has no name of its own: it goes by the machine's. */
export function hostnameOf(config: SandboxConfig): string {
  return config.hostname || hostname();
}

async function machineResolvConf(): Promise<string> {
  return (await unlessMissing(readFile("/etc/resolv.conf", "utf8"))) ?? "";
}

/** As containerd and CRI-O write it. */
export function encodeResolvConf(dns: NonNullable<SandboxConfig["dns"]>): string {
  return [
    ...(dns.searches.length === 0 ? [] : [`search ${dns.searches.join(" ")}\n`]),
    ...dns.servers.map((server) => `nameserver ${server}\n`),
    ...(dns.options.length === 0 ? [] : [`options ${dns.options.join(" ")}\n`]),
  ].join("");
}
