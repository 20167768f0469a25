// Debian's kernel for the guest: the package is unpacked, not installed, and kept in the cache folder.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** What the guest needs that is no part of the kernel's image. */
const MODULES = ["fs/overlayfs/overlay.ko"];

/** Image, modules and version; from the network the first time only. */
export function fetchKernel(folder) {
  const unpacked = path.join(folder, "kernel");
  if (versionIn(unpacked) === undefined) {
    mkdirSync(unpacked, { recursive: true });
    const depends = execFileSync("apt-cache", ["depends", "linux-image-amd64"], { encoding: "utf8" });
    const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1];
    if (name === undefined) throw new Error("apt knows no linux-image-amd64: run apt-get update, on Debian for amd64");
    execFileSync("apt-get", ["download", "-qq", name], { cwd: folder, stdio: ["ignore", "inherit", "ignore"] });
    const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`));
    execFileSync("dpkg-deb", ["-x", path.join(folder, file), unpacked]);
  }
  const version = versionIn(unpacked);
  const modules = MODULES.map((module) => path.join(unpacked, "lib/modules", version, "kernel", module));
  for (const module of modules) readFileSync(module);
  return { version, image: path.join(unpacked, "boot", `vmlinuz-${version}`), modules };
}

function versionIn(unpacked) {
  try {
    const image = readdirSync(path.join(unpacked, "boot")).find((name) => name.startsWith("vmlinuz-"));
    return image?.slice("vmlinuz-".length);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
