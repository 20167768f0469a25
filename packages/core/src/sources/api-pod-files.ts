/** The pods of the control socket on disk: one checked file each, so that a damaged one costs no other. */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConfigAnnotations, namespacedName, type Pod } from "@hooklet/manifest";
import type { Clock } from "../clock.js";
import { errorText, NodeAgentError } from "../errors.js";
import { whenGone } from "../lib/errno.js";
import type { Json } from "../lib/json.js";
import { encodeChecked, writeFileAtomic } from "../state/atomic-file.js";
import { openCheckpoint } from "../state/checkpoint.js";
import type { SourceFault } from "./port.js";

const FILE = /^([A-Za-z0-9-]{1,64})\.json$/;

export class ApiPodFiles {
  /** `folder`: absolute; made when needed. */
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  /**
   * All pods that are kept, one per name: of two, which a crash in the middle of a replacement leaves, the newer one.
   * Damaged files are set aside and told as faults.
   */
  async read(fault: (fault: SourceFault) => void): Promise<readonly Pod[]> {
    const names = await this.#names(fault);
    const pods = new Map<string, Pod>();
    for (const name of names) {
      const path = join(this.folder, name);
      const pod = await this.#readOne(path, name, fault);
      if (pod === undefined) continue;
      const key = namespacedName(pod.metadata);
      const other = pods.get(key);
      const [newer, older] = other !== undefined && seen(other) > seen(pod) ? [other, pod] : [pod, other];
      pods.set(key, newer);
      if (older !== undefined) await this.remove(older).catch(() => {});
    }
    return [...pods.values()];
  }

  /** All of them or none. Rejects with STATE_UNWRITABLE. */
  async add(pods: readonly Pod[]): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch(() => {});
    const written = await Promise.allSettled(
      pods.map((pod) => writeFileAtomic(this.#path(pod), encodeChecked(pod as unknown as Json))),
    );
    const failed = written.find(({ status }) => status === "rejected");
    if (failed === undefined) return;
    await Promise.allSettled(pods.map((pod) => this.remove(pod)));
    throw (failed as PromiseRejectedResult).reason;
  }

  /** Rejects with STATE_UNWRITABLE; a file that is gone is fine. */
  async remove(pod: Pod): Promise<void> {
    const path = this.#path(pod);
    try {
      await rm(path, { force: true });
    } catch (error) {
      const message = `Cannot delete ${path}: ${errorText(error)}; the pod stays; make the folder writable`;
      throw new NodeAgentError("STATE_UNWRITABLE", message, { cause: error });
    }
  }

  #path({ metadata: { uid } }: Pod): string {
    return join(this.folder, `${uid}.json`);
  }

  async #names(fault: (fault: SourceFault) => void): Promise<readonly string[]> {
    try {
      const names = await whenGone([], () => readdir(this.folder));
      const leftovers = names.filter((name) => /^\..*\.tmp$/.test(name));
      await Promise.allSettled(leftovers.map((name) => rm(join(this.folder, name))));
      return names.filter((name) => FILE.test(name)).sort();
    } catch (error) {
      fault({ where: this.folder, message: `the pods that were applied cannot be read: ${errorText(error)}` });
      return [];
    }
  }

  async #readOne(path: string, name: string, fault: (fault: SourceFault) => void): Promise<Pod | undefined> {
    const tell = (message: string): void => fault({ where: path, message });
    try {
      const file = openCheckpoint(path, {
        clock: this.clock,
        onDamaged: (_, aside, why) =>
          tell(`${why}; ${aside ? `set aside as ${aside}` : "left in place"}; apply its pod again`),
      });
      const pod = (await file.read()) as unknown as Pod | undefined;
      if (pod === undefined) return undefined;
      if (`${pod.metadata?.uid}.json` === name && Array.isArray(pod.spec?.containers)) return pod;
      tell("it does not hold the pod that its name says; apply the pod again and delete this file");
    } catch (error) {
      tell(errorText(error));
    }
    return undefined;
  }
}

/** RFC 3339 of one zone and width: sorts as text. */
function seen({ metadata }: Pod): string {
  return metadata.annotations?.[ConfigAnnotations.seen] ?? "";
}
