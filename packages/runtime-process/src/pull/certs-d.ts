/** Looks up in containerd's `certs.d` what is said of a registry: hosts.toml, or certificates as docker has them. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { whenGone } from "@hooklet/core/subsystem";
import { readBounded } from "@hooklet/linux";
import { ownHost, parseHostsToml, type RegistryHosts } from "./hosts-toml.js";

/** Of a hosts.toml, and of a file of certificates. */
export const LARGEST_FILE = 2 ** 20;

/** @param configPath folders with colons between, as in containerd's `config_path`; the first that knows the registry counts */
export async function findHosts(configPath: string, registry: string): Promise<RegistryHosts> {
  for (const root of configPath.split(":").filter((path) => path !== "")) {
    for (const name of foldersOf(registry)) {
      const folder = join(root, name);
      const names = await whenGone(undefined, () => readdir(folder), ["ENOENT", "ENOTDIR"]);
      if (names !== undefined) return readFolder(folder, names, registry);
    }
  }
  return [ownHost(registry)];
}

function foldersOf(registry: string): readonly string[] {
  return [...new Set([registry.replace(/:(\d+)$/, "_$1_"), registry, "_default"])];
}

async function readFolder(folder: string, names: readonly string[], registry: string): Promise<RegistryHosts> {
  if (names.includes("hosts.toml")) {
    const file = join(folder, "hosts.toml");
    const text = await readBounded(file, { maxBytes: LARGEST_FILE }).catch((error: unknown) => {
      throw new RuntimeError("invalid-argument", `${file} cannot be read: ${errorText(error)}`, { cause: error });
    });
    if (text !== "") return parseHostsToml(text, file, registry);
  }
  const own = ownHost(registry);
  const ending = (end: string): string[] =>
    names.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
  const client = ending(".cert").map((certificate): readonly [string, string] => {
    const key = join(folder, `${basename(certificate, ".cert")}.key`);
    if (names.includes(basename(key))) return [certificate, key];
    throw new RuntimeError("invalid-argument", `${certificate}: expected its key beside it, ${key}`);
  });
  return [{ ...own, ca: ending(".crt"), client }];
}
