import { createHash } from "node:crypto";
import type { Clock, Pod } from "@hooklet/core";
import { namespacedName } from "@hooklet/core";
import {
  apiPod,
  type Identify,
  type PodSource,
  readManifest,
  runsTheSame,
  type SourceSink,
  saysTheSame,
} from "@hooklet/core/host";

/** A source of pods that a test fills. It outlives agents, as a manifest folder does. Uids depend on the calls only. */
export class TestSource implements PodSource {
  readonly name = "test";
  /** What plugins provide, once an agent has started it. */
  #provided: SourceSink["provided"] | undefined;
  readonly #clock: Clock;
  readonly #nodeName: string;
  readonly #pods = new Map<string, Pod>();
  readonly #used = new Set<string>();
  #sink: SourceSink | undefined;
  #generation = 0;

  constructor(clock: Clock, nodeName: string) {
    this.#clock = clock;
    this.#nodeName = nodeName;
  }

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    this.#provided = sink.provided;
    sink.desired([...this.#pods.values()]);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
  }

  /** Takes a ready pod as it is, or all pods of a manifest. A pod with another spec replaces the one of its name. */
  async apply(pod: Pod | string): Promise<void> {
    const pods = typeof pod === "string" ? await this.#read(pod) : [pod];
    for (const one of pods) this.#put(one);
  }

  /** @throws Error when there is no such pod */
  delete(namespace: string, name: string): void {
    const key = namespacedName({ namespace, name });
    const pod = this.#pods.get(key);
    if (pod === undefined) {
      const known = [...this.#pods.keys()].join(", ") || "none";
      throw new Error(`The test applied no pod ${key}; it applied ${known}.`);
    }
    this.#pods.delete(key);
    this.#sink?.changed({ removed: [{ uid: pod.metadata.uid }] });
  }

  #read(text: string): Promise<readonly Pod[]> {
    const read: Identify = (manifest) => {
      const { namespace = "default", name = "" } = manifest.metadata ?? {};
      const uid = digest(namespacedName({ namespace, name }));
      return apiPod(manifest, { nodeName: this.#nodeName, seen: this.#clock.now(), uid });
    };
    return readManifest(text, "the test", read, this.#provided);
  }

  #put(pod: Pod): void {
    const key = namespacedName(pod.metadata);
    const before = this.#pods.get(key);
    if (before !== undefined && saysTheSame(before, pod)) return;
    if (before !== undefined && runsTheSame(before, pod)) {
      const same = { ...pod, metadata: { ...pod.metadata, uid: before.metadata.uid } };
      this.#pods.set(key, same);
      this.#sink?.changed({ set: [same] });
      return;
    }
    this.#generation += 1;
    // A changed manifest is a new pod, and a deleted one may not be gone yet: its uid is not used again.
    const given = pod.metadata.uid;
    const uid = this.#used.has(given) ? digest(`${given}/${this.#generation}`) : given;
    this.#used.add(uid);
    const taken = { ...pod, metadata: { ...pod.metadata, uid } };
    this.#pods.set(key, taken);
    this.#sink?.changed({
      set: [taken],
      ...(before === undefined ? {} : { removed: [{ uid: before.metadata.uid }] }),
    });
  }
}

function digest(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
