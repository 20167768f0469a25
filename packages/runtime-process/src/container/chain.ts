/** The command lines that become a container. Each step replaces the one before in the same process. Pure. */
import type { ContainerSecurityContext } from "@hooklet/core/host";
import type { Scripts } from "../command/scripts.js";
import type { ShimKind } from "../command/starter.js";
import type { Toolbox } from "../command/toolbox.js";
import type { ContainerUser, IsolationMode } from "../container-record.js";
import { boundingSet } from "./check-supported.js";

export interface EntryInput {
  readonly tools: Toolbox;
  readonly scripts: Scripts;
  readonly mode: IsolationMode;
  /** Whether the agent itself is root. */
  readonly asRoot: boolean;
  readonly security: ContainerSecurityContext;
  readonly user: ContainerUser;
  /** The folder that becomes `/`; undefined = the machine's own. */
  readonly root?: string;
  /** The file that `encodeLaunch` makes. */
  readonly launchFile: string;
  /** A further command of the container; undefined = the one of its launch file. */
  readonly command?: readonly string[];
}

/** The commands from the mounted root to the container's own program. Only the words of `command` come from the pod. */
export function entryChain(input: EntryInput): string[] {
  const { tools, scripts, user, root, command } = input;
  const uid = input.asRoot && user.uid !== 0 ? user.uid : undefined;
  const errors = command === undefined ? OUTPUT_DESCRIPTOR : "2";
  return [
    ...privileges(input, [...(root === undefined ? [] : ["sys_chroot"]), ...(uid === undefined ? [] : ["setuid"])]),
    ...[tools.perl, "-f", scripts.enter, errors, root ?? "", uid === undefined ? "" : String(uid), input.launchFile],
    ...(command ?? []),
  ];
}

/** Where INNER has put what the container writes to. */
const OUTPUT_DESCRIPTOR = "4";

function privileges({ tools, mode, asRoot, security, user }: EntryInput, keep: readonly string[]): string[] {
  const flags: string[] = [];
  const { gid, groups } = user;
  if (asRoot) {
    flags.push("--regid", String(gid), ...(groups.length === 0 ? ["--clear-groups"] : ["--groups", groups.join(",")]));
  }
  if (asRoot || mode === "user") {
    const set = boundingSet(security, keep);
    if (set !== undefined) flags.push(`--bounding-set=${set}`, "--inh-caps=-all");
  }
  if (security.noNewPrivs) flags.push("--no-new-privs");
  return flags.length === 0 ? [] : [tools.setpriv, ...flags];
}

/** The kernel's own. The agent's is not handed down: on a node it is the last thing that shall be killed. */
const DEFAULT_OOM_SCORE_ADJ = 0;

export interface StartInput {
  readonly tools: Toolbox;
  readonly scripts: Scripts;
  readonly mode: IsolationMode;
  /** The shim is the first process of a PID namespace, and root of a user namespace where that is needed for it. */
  readonly ownPids: boolean;
  readonly ownIpc: boolean;
  /** A process of the pod whose IPC namespace it enters. */
  readonly ipcOf?: number;
  readonly folder: string;
  /** The file that tells "set up". */
  readonly upFile: string;
  readonly oomScoreAdj?: number;
  readonly entry: readonly string[];
}

/** From the shim to the mounted root. */
export function setupChain(input: StartInput): string[] {
  const { tools, scripts, folder, upFile, oomScoreAdj, entry } = input;
  const inner = [tools.sh, scripts.inner, folder, upFile, String(oomScoreAdj ?? DEFAULT_OOM_SCORE_ADJ), tools.mount];
  return [tools.setsid, ...ownNamespaces(input), ...inner, ...entry];
}

function ownNamespaces({ tools, mode, ownPids, ownIpc, ipcOf }: StartInput): string[] {
  if (mode === "none") return [];
  const user = mode === "user" && !ownPids ? ["-U", "-r"] : [];
  const ipc = ownIpc && ipcOf === undefined ? ["-i"] : [];
  const entered = ipcOf === undefined ? [] : [tools.nsenter, "-t", String(ipcOf), "-i", "--"];
  return [...entered, tools.unshare, "-m", ...user, ...ipc, "--propagation", "slave"];
}

/** What the shim is started in: the starter knows the ways by name. */
export function shimKind(mode: IsolationMode, ownPids: boolean): ShimKind {
  if (!ownPids || mode === "none") return "plain";
  return mode === "user" ? "user" : "pids";
}

/**
 * Whether /proc/<pid>/cmdline still shows a step of the set-up chain `start`, so that the process is not yet the container's own program:
 * each step drops its own words.
 */
export function isSetupLine(start: readonly string[], line: string): boolean {
  const all = `\0${start.join("\0")}\0`;
  return all.endsWith(`\0${line}`);
}

export interface ExecInput {
  readonly tools: Toolbox;
  readonly scripts: Scripts;
  readonly mode: IsolationMode;
  readonly ownPids: boolean;
  readonly ownIpc: boolean;
  readonly folder: string;
  /** The container's first process. */
  readonly pid: number;
  readonly oomScoreAdj?: number;
  readonly entry: readonly string[];
}

export interface ExecChain {
  /** Into the container's namespaces; empty where it has none. */
  readonly enter: readonly string[];
  /** What becomes the command there. */
  readonly words: readonly string[];
}

/** From the agent into a running container. */
export function execChain(input: ExecInput): ExecChain {
  const { tools, scripts, mode, folder, pid, oomScoreAdj, entry } = input;
  const user = mode === "user" ? ["-U", "--preserve-credentials"] : [];
  // With -p a process stays to wait for the command: a process cannot change its own PID namespace.
  const apart = [...(input.ownPids ? ["-p"] : []), ...(input.ownIpc ? ["-i"] : [])];
  const enter = mode === "none" ? [] : [tools.nsenter, "-t", String(pid), "-m", ...apart, ...user, "--"];
  return { enter, words: [tools.sh, scripts.exec, folder, String(oomScoreAdj ?? DEFAULT_OOM_SCORE_ADJ), ...entry] };
}
