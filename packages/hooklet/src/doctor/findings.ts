/** What the machine gives and lacks, what that costs, and the command that mends it. Pure. */
import { roundBytes } from "@hooklet/cli/print";
import { parseThreshold, thresholdQuantity } from "@hooklet/core/rules";
import { quantityValue } from "@hooklet/manifest";
import type { MachineFacts } from "./machine-facts.js";

export interface Finding {
  readonly what: string;
  /** `lacks`: hooklet runs without it. `fails`: it does not start, or refuses pods. */
  readonly state: "ok" | "lacks" | "fails";
  readonly found: string;
  readonly costs?: string;
  readonly mend?: string;
}

export function findings(facts: MachineFacts): readonly Finding[] {
  // Of a file with faults it is not known which root dir, port and runtime it means.
  const named = facts.configFault === undefined ? [rootDir(facts), disk(facts), port(facts), runtime(facts)] : [];
  return [configuration(facts), ...named, tools(facts), namespaces(facts), cgroups(facts), skopeo(facts)];
}

function configuration({ configFault, configFile }: MachineFacts): Finding {
  const what = "configuration";
  if (configFault === undefined) return { what, state: "ok", found: "it has no fault" };
  // What stands on the command line needs no command to be found.
  const isOfOption = configFault.startsWith("--");
  const mend = isOfOption ? undefined : `hooklet check${configFile === undefined ? "" : ` --config ${configFile}`}`;
  return {
    what,
    state: "fails",
    found: configFault,
    costs: "hooklet run does not start",
    ...(mend !== undefined && { mend }),
  };
}

function rootDir({ rootDirFault, isRoot }: MachineFacts): Finding {
  const what = "root dir";
  if (rootDirFault === undefined) return { what, state: "ok", found: "it can be written" };
  const mend = isRoot ? "hooklet run --root-dir DIR" : "hooklet run --root-dir ~/hooklet";
  return { what, state: "fails", found: rootDirFault, costs: "hooklet run does not start", mend };
}

const DISK_SIGNALS = ["nodefs.available", "imagefs.available"];

function disk({ disk: found, evictionHard }: MachineFacts): Finding {
  const what = "disk";
  if (typeof found === "string")
    return { what, state: "fails", found, costs: "hooklet cannot watch the disk", mend: "hooklet run --root-dir DIR" };
  const { path, availableBytes, capacityBytes } = found;
  const text = `${roundBytes(availableBytes)} of ${roundBytes(capacityBytes)} free on the disk of ${path}`;
  for (const signal of DISK_SIGNALS) {
    const threshold = evictionHard[signal];
    if (threshold === undefined) continue;
    const parsed = parseThreshold(signal, threshold);
    const least = parsed === undefined ? 0 : quantityValue(thresholdQuantity(parsed, capacityBytes));
    if (availableBytes >= least) continue;
    return {
      what,
      state: "fails",
      found: `${text}, below ${signal} ${threshold} (${roundBytes(least)})`,
      costs: "the node has DiskPressure: pods that are applied are refused, and pods are evicted",
      mend: `du -xh ${path} | sort -h | tail; or in the rc file: node: { evictionHard: { ${signal}: 5% } }`,
    };
  }
  return { what, state: "ok", found: text };
}

function port({ port: { number, state }, agent }: MachineFacts): Finding {
  const what = "port";
  if (state === "forbidden" && agent?.hasPort !== true) {
    return {
      what,
      state: "fails",
      found: `this user may not listen on ${number}`,
      costs: "hooklet run does not start",
      mend: `hooklet run --port ${number + 10_000}; or run hooklet as root`,
    };
  }
  // A port of the agent that runs is no fault; nor is one that is free, or of which is not known whose it is.
  if (agent !== undefined && (state !== "taken" || agent.hasPort !== false)) {
    const whose = agent.hasPort === true ? `${number} belongs to the agent that runs` : "an agent runs here";
    const beside = agent.hasPort === true && agent.isOther === true ? "; an agent beside it needs another --port" : "";
    return { what, state: "ok", found: `${whose}: ${agent.text}, socket ${agent.socket}${beside}` };
  }
  if (state === "off") return { what, state: "ok", found: "off: no HTTP for health and metrics" };
  if (state === "free") return { what, state: "ok", found: `${number} is free` };
  return {
    what,
    state: "fails",
    found: `${number} is taken by ${agent === undefined ? "another process" : `a process other than the agent that runs (${agent.text}, socket ${agent.socket})`}`,
    costs: "hooklet run does not start",
    mend: `ss -ltnp 'sport = :${number}' names it; or: hooklet run --port ${number + 10_000}`,
  };
}

function runtime({ runtime: name, criEndpoint, criSockets, isRoot }: MachineFacts): Finding {
  const what = "runtime";
  const sockets = criSockets.join(", ");
  if (name !== "cri") {
    const also =
      criSockets.length === 0 ? "" : `; ${sockets} is there as well (--runtime cri${isRoot ? "" : ", as root"})`;
    return { what, state: "ok", found: `${name}${also}` };
  }
  if (criSockets.length > 0) return { what, state: "ok", found: `cri: ${sockets}` };
  return {
    what,
    state: "fails",
    found: `cri, and ${criEndpoint === undefined ? "no socket of containerd or CRI-O" : `no socket ${criEndpoint}`} is there`,
    costs: "hooklet run does not start",
    mend: "name the socket in the rc file: runtime: { use: cri, options: { endpoint: unix:///PATH } }; or: apt install containerd && systemctl start containerd; or: hooklet run --runtime process",
  };
}

/** The first one that has all that is used. */
const UTIL_LINUX = [2, 38] as const;

function tools({ missingTools, utilLinux, runtime: name }: MachineFacts): Finding {
  const what = "util-linux";
  const isNeeded = name === "process";
  const state = isNeeded ? "fails" : "lacks";
  const costs = isNeeded
    ? "runtime process starts no container"
    : "nothing with runtime cri; runtime process would start no container";
  const mend = "apt install util-linux coreutils perl";
  if (missingTools.length > 0) return { what, state, found: `not found: ${missingTools.join(", ")}`, costs, mend };
  const [major = 0, minor = 0] = (utilLinux ?? "").split(".").map(Number);
  const isOld =
    utilLinux !== undefined && (major < UTIL_LINUX[0] || (major === UTIL_LINUX[0] && minor < UTIL_LINUX[1]));
  if (isOld) return { what, state, found: `${utilLinux}, older than ${UTIL_LINUX.join(".")}`, costs, mend };
  return { what, state: "ok", found: utilLinux ?? "there, of unknown version" };
}

function namespaces({ namespaces: fault, isRoot }: MachineFacts): Finding {
  const what = "namespaces";
  if (fault === undefined)
    return { what, state: "ok", found: isRoot ? "mounts, processes, ipc" : "user, mounts, processes, ipc" };
  return {
    what,
    state: "lacks",
    found: fault,
    costs: 'containers see the machine\'s files and processes: image "host" only, pods with volumes are refused',
    mend: isRoot
      ? "run hooklet outside of the container that it is in, or with CAP_SYS_ADMIN"
      : "sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0; or run hooklet as root",
  };
}

function cgroups({ cgroups: { version, writable, missing }, isRoot }: MachineFacts): Finding {
  const what = "cgroups";
  const costs = "limits of cpu, memory and processes are not enforced";
  if (version === "none")
    return { what, state: "lacks", found: "none are mounted", costs, mend: "mount -t cgroup2 none /sys/fs/cgroup" };
  if (!writable) {
    const mend =
      version === "v2"
        ? "systemd-run --user --scope -p Delegate=yes hooklet run; or run hooklet as root"
        : isRoot
          ? "run hooklet outside of the container that it is in"
          : "run hooklet as root: cgroup v1 cannot be delegated";
    return { what, state: "lacks", found: `${version}, not writable`, costs, mend };
  }
  if (missing.length === 0) return { what, state: "ok", found: `${version}, writable` };
  return {
    what,
    state: "lacks",
    found: `${version}, writable, without ${missing.join(", ")}`,
    costs: `limits of ${missing.join(", ")} are not enforced`,
    mend:
      version === "v2"
        ? `systemctl edit user@.service: [Service] Delegate=${missing.join(" ")}`
        : `boot with the controllers ${missing.join(", ")}`,
  };
}

function skopeo({ skopeo: version, runtime: name }: MachineFacts): Finding {
  const what = "skopeo";
  if (version !== undefined) return { what, state: "ok", found: version };
  if (name === "cri") return { what, state: "ok", found: "not found; runtime cri does not need it" };
  return {
    what,
    state: "lacks",
    found: "not found",
    costs: "runtime process pulls no image from a registry: pods use host, or what hooklet image import brought",
    mend: "apt install skopeo",
  };
}
