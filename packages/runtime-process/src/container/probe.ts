/** Tries out, once at the start, in which way containers can be isolated here: by really setting one up. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import { type ContainerConfig, RuntimeError } from "@hooklet/core/host";
import { readMounts, removeTree } from "@hooklet/linux";
import type { Scripts } from "../command/scripts.js";
import { runTool } from "../command/spawn.js";
import type { Toolbox } from "../command/toolbox.js";
import type { Isolation } from "../container-record.js";
import { containerFiles, type Layout } from "../layout.js";
import { assembleRoot } from "../rootfs/assemble.js";
import { fitsOverlay } from "../rootfs/fstab.js";
import { LowerStats } from "../rootfs/view.js";
import { entryChain, setupChain } from "./chain.js";
import { encodeLaunch } from "./state-file.js";

/** Messages of Node or of the tools. */
const DISK_FULL = /ENOSPC|EDQUOT|no space left|quota exceeded/i;

/** So often a way is tried whose faults are others each time. */
const TRIES = 5;

/** From best to worst: separate processes, layers that are not written back. */
const WAYS = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const;

/** Throws `unavailable` when a full disk prevents the check: that must not look like missing isolation. */
export async function probeIsolation(layout: Layout, tools: Toolbox, scripts: Scripts): Promise<Isolation> {
  if (!fitsOverlay(layout.base)) {
    return withoutNamespaces(
      `the root dir's path ${layout.base} holds one of , : " ' \\ which overlay mounts cannot have`,
    );
  }
  const mode = process.getuid?.() === 0 ? "root" : "user";
  let why: string | undefined;
  for (const [processesApart, volatileLayers] of WAYS) {
    const wanted = { mode, volatileLayers, processesApart } as const;
    const fault = await lasting(() => trial(wanted, layout, tools, scripts));
    if (fault === undefined) return { ...wanted, ...(why !== undefined && { why }) };
    why ??= fault;
    if (DISK_FULL.test(fault)) {
      throw new RuntimeError(
        "unavailable",
        `cannot find out how containers can be kept apart: ${fault}; free some space on the disk of ${layout.base}`,
      );
    }
  }
  return withoutNamespaces(why ?? "no reason was given");
}

export function withoutNamespaces(why: string): Isolation {
  return { mode: "none", volatileLayers: false, processesApart: false, why };
}

/**
 * Only what comes twice says what cannot be done here, or so many faults that are all others: a trial shows what is mounted on the
 * machine, and other programs' mounts may go meanwhile. Undefined when it works.
 */
async function lasting(once: () => Promise<string | undefined>): Promise<string | undefined> {
  const seen = new Set<string>();
  for (;;) {
    const fault = await once();
    if (fault === undefined || seen.has(fault) || seen.size === TRIES - 1) return fault;
    seen.add(fault);
  }
}

/** Undefined when it works, else the tools' message. */
async function trial(
  { mode, volatileLayers, processesApart }: Isolation,
  layout: Layout,
  tools: Toolbox,
  scripts: Scripts,
): Promise<string | undefined> {
  const folder = join(layout.base, `probe-${process.pid}`);
  await removeTree(folder);
  try {
    for (const path of [folder, join(folder, "shm")]) mkdirSync(path, { mode: 0o700 });
    const { root, fstab } = assembleRoot({
      folder,
      userNamespace: mode === "user",
      volatileLayers,
      ownPids: processesApart,
      ownIpc: processesApart,
      ownTerminals: processesApart,
      shownMounts: new Set(),
      host: readMounts(),
      config: CONFIG,
      workingDir: "/",
      shm: join(folder, "shm"),
      etc: [],
      devTemplate: layout.devTemplate,
      empty: layout.empty,
      lowerStats: new LowerStats({ monotonic: () => 0 }),
    });
    const files = containerFiles(folder);
    writeFileSync(files.fstab, fstab);
    writeFileSync(files.launch, encodeLaunch({ argv: [tools.sh, "-c", "exit 0"], env: [], workingDir: "/" }));
    writeFileSync(files.cgroups, "");
    const entry = entryChain({
      tools,
      scripts,
      mode,
      asRoot: mode === "root",
      security: CONFIG.linux.securityContext,
      user: { uid: 0, gid: 0, groups: [] },
      launchFile: files.launch,
      root,
    });
    const shim = processesApart ? [tools.unshare, ...(mode === "user" ? ["-U", "-r"] : []), "-p", "-f"] : [];
    const chain = setupChain({
      tools,
      scripts,
      mode,
      ownPids: processesApart,
      ownIpc: processesApart,
      folder,
      upFile: join(folder, "up"),
      entry,
    });
    const [file = "", ...args] = [...shim, ...chain];
    const { exitCode, output } = await runTool(file, args);
    if (exitCode === 0) return undefined;
    const words = existsSync(files.setup) ? readFileSync(files.setup, "utf8") : "";
    return (words || output || `exit code ${exitCode}`).trim().split("\n")[0];
  } catch (error) {
    return errorText(error);
  } finally {
    await removeTree(folder);
  }
}

const CONFIG: ContainerConfig = {
  metadata: { name: "probe", attempt: 0 },
  image: { image: "host", userSpecifiedImage: "host" },
  command: [],
  args: [],
  workingDir: "",
  envs: [],
  mounts: [],
  devices: [],
  cdiDevices: [],
  labels: {},
  annotations: {},
  logPath: "",
  stdin: false,
  stdinOnce: false,
  tty: false,
  linux: {
    resources: {},
    securityContext: {
      capabilities: { add: [], drop: [] },
      privileged: false,
      namespaces: { network: "NODE", pid: "NODE", ipc: "NODE" },
      supplementalGroups: [],
      readonlyRootfs: false,
      noNewPrivs: false,
      maskedPaths: [],
      readonlyPaths: [],
      seccomp: { profileType: "Unconfined", localhostRef: "" },
    },
  },
};
