/**
 * The pods' directories on the node, including those of unknown pods: an agent was killed while it removed a pod, or the
 * runtime forgot it. A plugin decides which of them are removed; this file removes them.
 */
import path from "node:path";
import { RuntimeError } from "@hooklet/cri-api";
import { disk } from "@hooklet/linux";
import { errorText, unless } from "@hooklet/utils";
import { foldersOf, type PodDirectory, type VolumeCalls, volumeCallsHere } from "@hooklet/volumes";

export class PodDirectories {
  readonly #pods: string;
  /** Directories being removed: a pod that comes back under the same uid gets a new one meanwhile. */
  readonly #leaving: string;
  #turn: Promise<unknown> = Promise.resolve();

  /** `isKnown`: whether there is a pod of this uid, or something of it runs that may become one. */
  constructor(
    rootDir: string,
    private readonly isKnown: (uid: string) => boolean,
    private readonly calls: Pick<VolumeCalls, "lookAtPod" | "removePodDirectory"> = volumeCallsHere,
  ) {
    this.#pods = path.join(rootDir, "pods");
    this.#leaving = path.join(rootDir, "leaving-pods");
  }

  /** Ends removals that a kill of the agent interrupted. To be called once, at its start. */
  finishRemovals(): Promise<void> {
    return this.#oneAtATime(async () => {
      const faults: unknown[] = [];
      for (const uid of await foldersOf(this.#leaving)) {
        // One that hangs costs itself.
        await this.#clear(uid).catch((error: unknown) => faults.push(error));
      }
      if (faults.length > 0) throw new Error(faults.map(errorText).join("; "));
    });
  }

  /** Their uids. */
  list(): Promise<readonly string[]> {
    return foldersOf(this.#pods);
  }

  /** Rejects with the system's error when it cannot be read. */
  look(uid: string): Promise<PodDirectory> {
    return this.calls.lookAtPod({ uid, at: this.#of(this.#pods, uid) });
  }

  /** Unmounts what the agent mounted there, and removes it with all that is in it. Fine with one that is gone. */
  remove(uid: string): Promise<void> {
    return this.#oneAtATime(() => this.#remove(uid));
  }

  async #remove(uid: string): Promise<void> {
    const from = this.#of(this.#pods, uid);
    await this.#clear(uid);
    if (this.isKnown(uid)) throw new RuntimeError("failed-precondition", `the directory of pod ${uid} is in use`);
    disk.mkdirSync(this.#leaving, { recursive: true, mode: 0o750 });
    const isThere = unless(["ENOENT"], false, () => {
      // Nothing runs between the check and this call: a pod that is back by now has no directory yet.
      disk.renameSync(from, this.#of(this.#leaving, uid));
      return true;
    });
    if (isThere) await this.#clear(uid);
  }

  async #clear(uid: string): Promise<void> {
    await this.calls.removePodDirectory(this.#of(this.#leaving, uid));
  }

  #oneAtATime(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #of(folder: string, uid: string): string {
    if (uid === "" || uid === "." || uid === ".." || path.basename(uid) !== uid) {
      throw new RuntimeError("invalid-argument", `expected the uid of a pod, found ${JSON.stringify(uid)}`);
    }
    return path.join(folder, uid);
  }
}
