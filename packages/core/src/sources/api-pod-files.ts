/** The pods of the control socket on disk: one checked file each, so that a damaged one costs no other. */
import { ConfigAnnotations, namespacedName, type Pod } from "@hooklet/manifest";
import type { Clock, Json } from "@hooklet/utils";
import { CheckedFolder } from "./checked-folder.js";
import type { SourceFault } from "./port.js";

const FILE = /^([A-Za-z0-9-]{1,64})\.json$/;

export class ApiPodFiles {
  readonly #files: CheckedFolder;

  /** `folder`: absolute; made when needed. */
  constructor(folder: string, clock: Clock) {
    this.#files = new CheckedFolder({ folder, clock, isName: FILE, one: "pod", all: "the pods that were applied" });
  }

  /**
   * All stored pods, one per name: of two, which a crash in the middle of a replacement leaves, the newer one.
   * Damaged files are moved aside and reported as faults.
   */
  async read(fault: (fault: SourceFault) => void): Promise<readonly Pod[]> {
    const pods = new Map<string, Pod>();
    for (const [name, value] of await this.#files.read(fault)) {
      const pod = (value ?? {}) as unknown as Pod;
      if (`${pod.metadata?.uid}.json` !== name || !Array.isArray(pod.spec?.containers)) {
        this.#files.misnamed(name, fault);
        continue;
      }
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
    await this.#files.prepare();
    const written = await Promise.allSettled(pods.map((pod) => this.#files.write(fileOf(pod), pod as unknown as Json)));
    const failed = written.find(({ status }) => status === "rejected");
    if (failed === undefined) return;
    await Promise.allSettled(pods.map((pod) => this.remove(pod)));
    throw (failed as PromiseRejectedResult).reason;
  }

  /** Rejects with STATE_UNWRITABLE; a file that is gone is fine. */
  remove(pod: Pod): Promise<void> {
    return this.#files.remove(fileOf(pod));
  }
}

function fileOf({ metadata: { uid } }: Pod): string {
  return `${uid}.json`;
}

/** RFC 3339 of one zone and width: sorts as text. */
function seen({ metadata }: Pod): string {
  return metadata.annotations?.[ConfigAnnotations.seen] ?? "";
}
