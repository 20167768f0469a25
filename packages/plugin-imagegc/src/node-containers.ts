/** The node for container garbage collection: runtime, pods and the folders of logs. */
import path from "node:path";
import { errorText, hasEnded, type NodeContext } from "@hooklet/core";
import { podUidOf } from "@hooklet/core/rules";
import { millisecondsOf, whenGone } from "@hooklet/core/subsystem";
import { disk, removeTree } from "@hooklet/linux";
import type { ContainerPorts, ListedContainer, ListedSandbox } from "./container-collector.js";
import type { SeenContainer } from "./dead-containers.js";

const LINKS = "/var/log/containers";
/** `<namespace>_<name>_<uid>`: other folders there belong to other programs. */
const OF_A_POD = /^[^_]+_[^_]+_[^_]+$/;

const states = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
} as const;

type Parts = Pick<NodeContext, "runtime" | "pods" | "clock" | "log">;

/** `links`: the directory of old links to logs, for tests. */
export function nodeContainers({ runtime, pods, clock, log }: Parts, links = LINKS): ContainerPorts {
  /** Objects without pod labels are ignored. */
  const ofPods = <One extends { readonly labels: Readonly<Record<string, string>> }>(all: readonly One[]) =>
    all.flatMap((one) => {
      const podUid = podUidOf(one.labels);
      return podUid === undefined ? [] : [{ one, podUid }];
    });
  const below = (root: string, name: string): string => {
    if (name === "" || name === "." || name === ".." || path.basename(name) !== name) {
      throw new Error(`expected the name of an entry of ${root}, found ${JSON.stringify(name)}`);
    }
    return path.join(root, name);
  };
  return {
    now: () => clock.now(),
    async containers() {
      const active = new Set(pods.active().map(({ metadata }) => metadata.uid));
      return ofPods(await runtime.listContainers()).map(({ one, podUid }): ListedContainer => {
        const state = states[one.state];
        return {
          id: one.id,
          podUid,
          name: one.metadata.name,
          created: millisecondsOf(one.createdAt),
          // What is being started is no dead container.
          state: state === "created" && active.has(podUid) ? "running" : state,
          sandboxId: one.sandboxId,
        };
      });
    },
    async sandboxes() {
      return ofPods(await runtime.listSandboxes()).map(
        ({ one, podUid }): ListedSandbox => ({
          id: one.id,
          podUid,
          created: millisecondsOf(one.createdAt),
          ready: one.state === "SANDBOX_READY",
        }),
      );
    },
    removeContainer: (id) => runtime.removeDeadContainer(id),
    removeSandbox: (id) => runtime.removeDeadSandbox(id),
    pods: () => ({
      allSourcesReady: pods.sourcesReady(),
      isDeleted: (uid) => pods.sourcesReady() && pods.get(uid) === undefined,
      isTerminated: (uid) => {
        const pod = pods.get(uid);
        return pod !== undefined && hasEnded(pod);
      },
    }),
    async logDirectories() {
      const { podLogsDir } = await runtime.facts();
      const entries = await whenGone([], () => disk.readdir(podLogsDir, { withFileTypes: true }));
      return entries.filter((entry) => entry.isDirectory() && OF_A_POD.test(entry.name)).map(({ name }) => name);
    },
    async removeLogDirectory(name) {
      const { podLogsDir } = await runtime.facts();
      await removeTree(below(podLogsDir, name));
    },
    async deadLogLinks() {
      const { podLogsDir } = await runtime.facts();
      const names = (await whenGone([], () => disk.readdir(links))).filter((name) => name.endsWith(".log"));
      const dead = await Promise.all(names.map((name) => isDeadLink(below(links, name), podLogsDir)));
      return names.filter((_, index) => dead[index]);
    },
    removeLogLink: (name) => disk.unlink(below(links, name)),
    async containerState(id): Promise<SeenContainer["state"] | undefined> {
      try {
        return states[(await runtime.containerStatus(id)).state];
      } catch (error) {
        log.debug({ container: id }, `container gc: state of ${id} cannot be read: ${errorText(error)}`);
        return undefined;
      }
    },
    failed: (what, error) => log.warn({ err: error }, `container gc: failed to remove ${what}: ${errorText(error)}`),
  };
}

/**
 * Only a link into the folder of this agent's logs: a file, or a link to elsewhere, belongs to another program, for example a
 * kubelet on the same machine.
 */
async function isDeadLink(file: string, podLogsDir: string): Promise<boolean> {
  try {
    const target = path.resolve(path.dirname(file), await disk.readlink(file));
    if (!target.startsWith(`${path.resolve(podLogsDir)}/`)) return false;
  } catch {
    return false;
  }
  // A link that cannot be read may be alive.
  return whenGone(true, () => disk.stat(file).then(() => false)).catch(() => false);
}
