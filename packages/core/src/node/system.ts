/** What a v1 Node says of its machine under `nodeInfo`. */
import { readFile } from "node:fs/promises";
import os from "node:os";
import { readPlatform } from "./machine.js";

export interface SystemFacts {
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly kernelVersion: string;
  /** For people, as /etc/os-release has it; empty where nobody says. */
  readonly osImage: string;
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
}

/** What cannot be read is empty. */
export async function readSystem(): Promise<SystemFacts> {
  const [release, machineID, systemUUID, bootID] = await Promise.all([
    text("/etc/os-release"),
    text("/etc/machine-id"),
    text("/sys/class/dmi/id/product_uuid"),
    text("/proc/sys/kernel/random/boot_id"),
  ]);
  const platform = readPlatform();
  return {
    operatingSystem: platform.os,
    architecture: platform.arch,
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME=(?:"([^"\n]*)"|(.*))$/m.exec(release)?.slice(1).join("") ?? "",
    machineID,
    systemUUID: systemUUID || machineID,
    bootID,
  };
}

async function text(path: string): Promise<string> {
  return (await readFile(path, "utf8").catch(() => "")).trim();
}
