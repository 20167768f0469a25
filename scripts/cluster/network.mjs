// A network namespace of the cluster's own, with one link to the machine: its ports meet nobody else's.
// Its file lies in the cluster's folder: `ip netns add` would mount /run/netns over itself, and pods of a container runtime whose
// namespaces lie there could not be taken away any more.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";

export function makeNetwork(at) {
  const peer = `${at.link}p`;
  writeFileSync(at.namespace, "", { mode: 0o600 });
  run("unshare", `--net=${at.namespace}`, "true");
  run("ip", "link", "add", at.link, "type", "veth", "peer", "name", peer);
  run("ip", "link", "set", peer, "netns", at.namespace);
  run("ip", "address", "add", `${at.hostAddress}/24`, "dev", at.link);
  run("ip", "link", "set", at.link, "up");
  const inside = (...args) => run("nsenter", `--net=${at.namespace}`, "ip", ...args);
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

/** Processes inside, whoever started them. */
export function processesInside(at) {
  const namespace = identity(at.namespace);
  if (namespace === undefined) return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => identity(`/proc/${pid}/ns/net`) === namespace).map(Number);
}

function identity(file) {
  try {
    const { dev, ino } = statSync(file);
    return `${dev} ${ino}`;
  } catch {
    return undefined; // it is gone, or never was
  }
}

function run(program, ...args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr.trim()}`);
}
