import { createHash } from "node:crypto";
import type { Clock, Pod } from "@hooklet/core";
import { apiPod, type PodSource, readManifest, type SourceSink } from "@hooklet/core/host";

/** A source of pods that a test fills. It outlives agents, as a manifest folder does. Uids depend on the calls only. */
export class TestSource implements PodSource {
  readonly name = "test";
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
    this.#deliver();
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
  }

  /** Takes a ready pod as it is, or all pods of a manifest. A pod that says something new replaces the one of its name. */
  async apply(pod: Pod | string): Promise<void> {
    const pods = typeof pod === "string" ? await this.#read(pod) : [pod];
    for (const one of pods) this.#put(one);
    this.#deliver();
  }

  /** @throws Error when there is no such pod */
  delete(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    if (!this.#pods.delete(key)) {
      const known = [...this.#pods.keys()].join(", ") || "none";
      throw new Error(`The test applied no pod ${key}; it applied ${known}.`);
    }
    this.#deliver();
  }

  #read(text: string): Promise<readonly Pod[]> {
    return readManifest(text, "the test", (manifest) => {
      const pod = apiPod(manifest, { nodeName: this.#nodeName, seen: this.#clock.now() });
      const { namespace, name } = pod.metadata;
      return { ...pod, metadata: { ...pod.metadata, uid: digest(`${namespace}/${name}`) } };
    });
  }

  #put(pod: Pod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const before = this.#pods.get(key);
    if (before !== undefined && saysTheSame(before, pod)) return;
    this.#generation += 1;
    // A changed manifest is a new pod, and a deleted one may not be gone yet: its uid is not used again.
    const given = pod.metadata.uid;
    const uid = this.#used.has(given) ? digest(`${given}/${this.#generation}`) : given;
    this.#used.add(uid);
    this.#pods.set(key, { ...pod, metadata: { ...pod.metadata, uid } });
  }

  #deliver(): void {
    this.#sink?.desired([...this.#pods.values()]);
  }
}

function saysTheSame(a: Pod, b: Pod): boolean {
  return JSON.stringify(saying(a)) === JSON.stringify(saying(b));
}

/** What a person wrote, without what a source adds. */
function saying({ metadata: { labels, annotations = {} }, spec }: Pod): unknown {
  const own = Object.entries(annotations).filter(([name]) => !name.startsWith("kubernetes.io/config."));
  return { labels, own, spec };
}

function digest(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
