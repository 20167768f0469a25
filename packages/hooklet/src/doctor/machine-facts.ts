/** What `hooklet doctor` finds out about this machine. It changes nothing. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { defaultRootDir } from "@hooklet/core/base";
import type { AgentConfig } from "@hooklet/core/host";
import { cgroupFolder, nodeHost, ownCgroups, readCgroupLayout } from "@hooklet/linux";
import { type Clock, errorText } from "@hooklet/utils";

export interface DiskFacts {
  readonly path: string;
  readonly availableBytes: number;
  readonly capacityBytes: number;
}

export interface AgentFacts {
  /** `hooklet 1.2.3 on node worker`. */
  readonly text: string;
  readonly socket: string;
  /** Not the one that `hooklet run` would start with this configuration. */
  readonly isOther?: boolean;
  /** Whether the port is the agent's; undefined: not known. */
  readonly hasPort?: boolean | undefined;
}

/** `forbidden`: this user may not listen on it. */
type PortState = "free" | "taken" | "forbidden" | "off";

/** All that the findings are made of. */
export interface MachineFacts {
  readonly isRoot: boolean;
  readonly node: string;
  readonly cgroups: {
    readonly version: "v1" | "v2" | "none";
    readonly writable: boolean;
    readonly missing: readonly string[];
  };
  /** Undefined: containers can be isolated; else why not. */
  readonly namespaces: string | undefined;
  /** Of the root dir; a text: why it is unknown. */
  readonly disk: DiskFacts | string;
  /** Undefined: the root dir can be written, or made. */
  readonly rootDirFault: string | undefined;
  /** Thresholds of the disk: `nodefs.available` to `10%`. */
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly port: { readonly number: number; readonly state: PortState };
  /** The agent that answers on the root dir's socket, or on the one that the other commands would ask. */
  readonly agent: AgentFacts | undefined;
  readonly runtime: string;
  /** The path that runtime cri would connect to; undefined for another runtime. */
  readonly criEndpoint?: string | undefined;
  /** Sockets of container runtimes that are there. */
  readonly criSockets: readonly string[];
  /** Programs that are not there. */
  readonly missingTools: readonly string[];
  /** `2.38.1`; undefined: not known. */
  readonly utilLinux: string | undefined;
  /** Version of skopeo; undefined: it is not there. */
  readonly skopeo: string | undefined;
  /** Why an agent does not start with the configuration; undefined: it does. */
  readonly configFault: string | undefined;
  /** What --config named. */
  readonly configFile?: string | undefined;
}

const FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
export const TOOLS: readonly string[] = [
  "sh",
  "setsid",
  "setpriv",
  "unshare",
  "nsenter",
  "mount",
  "umount",
  "flock",
  "env",
  "perl",
];
const CRI_SOCKETS = ["/run/containerd/containerd.sock", "/run/crio/crio.sock"];
/** A state of /proc/net/tcp. */
const LISTEN = "0A";
const CONTROLLERS = ["cpu", "memory", "pids"];
/** For a program that is asked something, milliseconds. */
const PATIENCE = 5_000;

export interface Asked {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A text: why it cannot be read. */
  readonly config: Pick<AgentConfig, "rootDir" | "socket" | "port" | "runtime" | "node"> | string;
  readonly configFile: string | undefined;
  /** What answers on the agent's socket. */
  agent(): Promise<Pick<AgentFacts, "text" | "socket"> | undefined>;
}

export async function machineFacts({ clock, env, config, configFile, agent }: Asked): Promise<MachineFacts> {
  const isRoot = process.geteuid?.() === 0;
  const known = typeof config === "string" ? undefined : config;
  const rootDir = known?.rootDir ?? defaultRootDir(process.geteuid?.() ?? -1, env);
  const port = known?.port ?? 10_248;
  const endpoint = known === undefined ? undefined : criEndpoint(known.runtime);
  const [cgroups, namespaces, disk, state, answers, unshare, skopeo] = await Promise.all([
    cgroupFacts(),
    namespaceFault(isRoot),
    diskFacts(rootDir, clock),
    portState(port),
    agent(),
    said("unshare", ["--version"]),
    said("skopeo", ["--version"]),
  ]);
  return {
    isRoot,
    node: process.versions.node,
    cgroups,
    namespaces,
    disk,
    rootDirFault: rootDirFault(rootDir),
    evictionHard: known?.node.evictionHard ?? {},
    port: { number: port, state },
    agent: answers && {
      ...answers,
      isOther: known !== undefined && answers.socket !== known.socket,
      hasPort: port === 0 ? undefined : await isPortOf(answers.socket, port),
    },
    runtime: known?.runtime.specifier ?? "process",
    criEndpoint: endpoint,
    criSockets: (endpoint === undefined ? CRI_SOCKETS : [endpoint]).filter((path) => existsSync(path)),
    missingTools: TOOLS.filter((name) => !isThere(name)),
    utilLinux: /util-linux (\d[\w.]*)/.exec(unshare ?? "")?.[1],
    skopeo: skopeo === undefined ? undefined : (/(\d[\w.]*)/.exec(skopeo)?.[1] ?? "?"),
    configFault: typeof config === "string" ? config : undefined,
    configFile,
  };
}

async function cgroupFacts(): Promise<MachineFacts["cgroups"]> {
  const [mountinfo, own] = await Promise.all(
    ["/proc/self/mountinfo", "/proc/self/cgroup"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const layout = readCgroupLayout(mountinfo ?? "");
  if (layout === undefined) return { version: "none", writable: false, missing: CONTROLLERS };
  if (layout.version === "v1") {
    const folders = CONTROLLERS.map((name) => [name, cgroupFolder(layout, name, "/")] as const);
    const missing = folders.flatMap(([name, folder]) => (folder === undefined ? [name] : []));
    return {
      version: "v1",
      writable: folders.every(([, folder]) => folder === undefined || isWritable(folder)),
      missing,
    };
  }
  const [, path = "/"] = ownCgroups(own ?? "").find(([controllers]) => controllers === "") ?? [];
  const isRoot = process.geteuid?.() === 0;
  const folder = cgroupFolder(layout, "", isRoot ? "/" : path);
  if (folder === undefined) return { version: "v2", writable: false, missing: CONTROLLERS };
  const there = (await readFile(join(folder, "cgroup.controllers"), "utf8").catch(() => "")).split(/\s+/);
  return {
    version: "v2",
    writable: isWritable(folder) && (isRoot || path !== "/"),
    missing: CONTROLLERS.filter((name) => !there.includes(name)),
  };
}

/** As containers are started: root needs no user namespace. */
async function namespaceFault(isRoot: boolean): Promise<string | undefined> {
  const ways = isRoot ? ["-m", "-p", "-f", "-i"] : ["-U", "-r", "-m", "-p", "-f", "-i"];
  try {
    await program("unshare", [...ways, "true"]);
    return undefined;
  } catch (error) {
    return (
      errorText(error)
        .split("\n")
        .find((line) => line.startsWith("unshare:")) ?? errorText(error).split("\n")[0]
    );
  }
}

async function diskFacts(rootDir: string, clock: Clock): Promise<DiskFacts | string> {
  const path = nearestFolder(rootDir);
  try {
    const { availableBytes, capacityBytes } = await nodeHost(clock).statfs(path);
    return { path, availableBytes, capacityBytes };
  } catch (error) {
    return errorText(error);
  }
}

function rootDirFault(rootDir: string): string | undefined {
  const folder = nearestFolder(rootDir);
  if (isWritable(folder)) return undefined;
  return folder === rootDir
    ? `${rootDir} may not be written`
    : `${rootDir} cannot be made: ${folder} may not be written`;
}

/** The folder itself, or what it would be made in. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** The path of the socket; undefined for another runtime. */
export function criEndpoint({ specifier, options }: AgentConfig["runtime"]): string | undefined {
  const { endpoint } = options as { readonly endpoint?: unknown };
  return specifier === "cri" && typeof endpoint === "string" ? endpoint.replace(/^unix:(?:\/\/)?/, "") : undefined;
}

async function portState(port: number): Promise<PortState> {
  if (port === 0) return "off";
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EACCES" ? "forbidden" : "taken"));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve("free")));
  });
}

/** Of the agent whose root dir the socket lies in; undefined: its process cannot be read. */
async function isPortOf(socket: string, port: number): Promise<boolean | undefined> {
  try {
    const pid = Number(await readFile(join(dirname(socket), "lock"), "utf8"));
    const listening = (await readFile("/proc/net/tcp", "utf8")).split("\n").flatMap((line) => {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === LISTEN && Number.parseInt(local.split(":")[1] ?? "", 16) === port ? [`socket:[${inode}]`] : [];
    });
    const folder = `/proc/${pid}/fd`;
    const open = await Promise.all(
      (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => undefined)),
    );
    return listening.some((one) => open.includes(one));
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isThere(name: string): boolean {
  return FOLDERS.some((folder) => existsSync(join(folder, name)));
}

/** Undefined: there is no such program, or it failed. */
async function said(name: string, words: readonly string[]): Promise<string | undefined> {
  return program(name, words).catch(() => undefined);
}

function program(name: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: FOLDERS.join(":"), LC_ALL: "C" };
    execFile(name, [...words], { timeout: PATIENCE, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr.trim() === "" ? error.message : stderr)),
    );
  });
}
