// A network namespace of the cluster's own, with one link to the machine: its ports do not conflict with others.
// Its file lies in the cluster's folder: `ip netns add` would mount /run/netns over itself, and pods of a container runtime whose
// namespaces lie there could not be removed any more.
import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { allPids, must } from "../machine.mjs";

export function makeNetwork(at) {
  const peer = `${at.link}p`;
  writeFileSync(at.namespace, "", { mode: 0o600 });
  must("unshare", `--net=${at.namespace}`, "true");
  must("ip", "link", "add", at.link, "type", "veth", "peer", "name", peer);
  must("ip", "link", "set", peer, "netns", at.namespace);
  must("ip", "address", "add", `${at.hostAddress}/24`, "dev", at.link);
  must("ip", "link", "set", at.link, "up");
  const inside = (...args) => must("nsenter", `--net=${at.namespace}`, "ip", ...args);
  inside("link", "set", peer, "name", "eth0");
  inside("address", "add", `${at.address}/24`, "dev", "eth0");
  inside("link", "set", "eth0", "up");
  inside("link", "set", "lo", "up");
  inside("route", "add", "default", "via", at.hostAddress);
}

export function removeNetwork(at) {
  spawnSync("ip", ["link", "delete", at.link], { stdio: "ignore" });
  if (existsSync(at.namespace)) spawnSync("umount", [at.namespace], { stdio: "ignore" });
}

/** Processes inside, also those of other programs. */
export function processesInside(at) {
  const namespace = identity(at.namespace);
  if (namespace === undefined) return [];
  return allPids().filter((pid) => identity(`/proc/${pid}/ns/net`) === namespace);
}

function identity(file) {
  try {
    const { dev, ino } = statSync(file);
    return `${dev} ${ino}`;
  } catch {
    return undefined; // it is gone, or never was
  }
}
