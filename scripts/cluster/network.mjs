// A network namespace of the cluster's own, with one link to the machine: its ports meet nobody else's.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Where `ip netns` keeps it; nsenter takes it from there (`ip netns exec` would hide the machine's cgroups). */
export const namespaceFile = (at) => `/run/netns/${at.namespace}`;

export function makeNetwork(at) {
  const peer = `${at.link}p`;
  ip("netns", "add", at.namespace);
  ip("link", "add", at.link, "type", "veth", "peer", "name", peer);
  ip("link", "set", peer, "netns", at.namespace);
  ip("address", "add", `${at.hostAddress}/24`, "dev", at.link);
  ip("link", "set", at.link, "up");
  const inside = (...args) => ip("-n", at.namespace, ...args);
  inside("link", "set", peer, "name", "eth0");
  inside("address", "add", `${at.address}/24`, "dev", "eth0");
  inside("link", "set", "eth0", "up");
  inside("link", "set", "lo", "up");
  inside("route", "add", "default", "via", at.hostAddress);
}

export function removeNetwork(at) {
  spawnSync("ip", ["link", "delete", at.link], { stdio: "ignore" });
  if (existsSync(namespaceFile(at))) ip("netns", "delete", at.namespace);
}

/** Processes inside, whoever started them. */
export function processesInside(at) {
  const { stdout, status } = spawnSync("ip", ["netns", "pids", at.namespace], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter(Boolean).map(Number) : [];
}

function ip(...args) {
  const { status, stderr, error } = spawnSync("ip", args, { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`ip ${args.join(" ")} ended with ${status}: ${stderr.trim()}`);
}
