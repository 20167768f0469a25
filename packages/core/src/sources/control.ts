/** The `api` source: pods that come through the control socket (`hooklet apply -f`) and are kept over restarts. */
import { join } from "node:path";
import { apiPod, ConfigAnnotations, didYouMean, nearest, type Pod, readManifest } from "@hooklet/manifest";
import type { ApplyResult } from "../agent/api.js";
import type { Clock } from "../clock.js";
import { NodeAgentError } from "../errors.js";
import { ApiPodFiles } from "./api-pod-files.js";
import type { PodSource, SourceSink } from "./port.js";
import { saysTheSame } from "./same-pod.js";

export interface ControlSourceOptions {
  readonly rootDir: string;
  readonly nodeName: string;
  readonly clock: Clock;
}

export interface ControlSource extends PodSource {
  /**
   * Takes all pods of a manifest or none. A pod that is there under the same name and says the same is left alone; one that
   * says something else is replaced by a new one with a new uid. Resolves once they are on disk and delivered.
   * @throws ManifestError with all faults; STATE_UNWRITABLE when they cannot be kept
   */
  apply(text: string, where: string): Promise<readonly ApplyResult[]>;
  /** No longer wants the pod. @throws NOT_FOUND with the nearest names; STATE_UNWRITABLE */
  delete(namespace: string, name: string): Promise<Pod>;
}

const MAX_PODS = 10_000;

export function controlSource(options: ControlSourceOptions): ControlSource {
  return new Control(options);
}

class Control implements ControlSource {
  readonly name = "api";
  readonly #options: ControlSourceOptions;
  readonly #files: ApiPodFiles;
  #pods: ReadonlyMap<string, Pod> = new Map();
  /** Replaced pods whose files are still there. */
  #stale: Pod[] = [];
  #sink: SourceSink | undefined;
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ControlSourceOptions) {
    this.#options = options;
    this.#files = new ApiPodFiles(join(options.rootDir, "api-pods"), options.clock);
  }

  async start(sink: SourceSink): Promise<void> {
    const pods = await this.#files.read((fault) => sink.fault(fault));
    this.#pods = new Map(pods.map((pod) => [keyOf(pod), pod]));
    this.#sink = sink;
    sink.desired(pods);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
    await this.#last;
  }

  apply(text: string, where: string): Promise<readonly ApplyResult[]> {
    return this.#inTurn(async () => {
      const { nodeName, clock } = this.#options;
      const now = clock.now();
      const pods = await readManifest(text, where, (manifest) => {
        const pod = apiPod(manifest, { nodeName, seen: now });
        const before = this.#pods.get(keyOf(pod));
        // The clock may have been set back; a successor must still be the newer one.
        const after = before === undefined ? 0 : seenAt(before) + 1;
        return after > now ? apiPod(manifest, { nodeName, seen: after }) : pod;
      });
      const results = pods.map((pod) => ({ pod, before: this.#pods.get(keyOf(pod)) }));
      const taken = results.filter(({ pod, before }) => before === undefined || !saysTheSame(before, pod));
      if (this.#pods.size + taken.length > MAX_PODS) {
        throw new NodeAgentError("INVALID", `More than ${MAX_PODS} pods; delete some before you apply others`);
      }
      if (taken.length > 0) {
        await this.#files.add(taken.map(({ pod }) => pod));
        this.#deliver(new Map([...this.#pods, ...taken.map(({ pod }) => [keyOf(pod), pod] as const)]));
        this.#stale.push(...taken.flatMap(({ before }) => (before === undefined ? [] : [before])));
        // What stays behind is older than its successor: tried again, at the latest at the next start.
        await this.#removeStale(() => true).catch(() => {});
      }
      return results.map((result): ApplyResult => {
        const { namespace, name } = result.pod.metadata;
        const action = !taken.includes(result) ? "unchanged" : result.before === undefined ? "created" : "configured";
        return { pod: `pod/${name}${namespace === "default" ? "" : ` (${namespace})`}`, action };
      });
    });
  }

  delete(namespace: string, name: string): Promise<Pod> {
    return this.#inTurn(async () => {
      const key = `${namespace}/${name}`;
      const pod = this.#pods.get(key);
      if (pod === undefined) {
        const hint = didYouMean(nearest(key, this.#pods.keys()));
        throw new NodeAgentError("NOT_FOUND", `No pod ${key} came through the control socket.${hint}`);
      }
      await this.#removeStale((old) => keyOf(old) === key);
      await this.#files.remove(pod);
      this.#deliver(new Map([...this.#pods].filter(([other]) => other !== key)));
      return pod;
    });
  }

  #deliver(pods: ReadonlyMap<string, Pod>): void {
    this.#pods = pods;
    this.#sink?.desired([...pods.values()]);
  }

  /** A file that outlives its pod would bring it back. */
  async #removeStale(which: (pod: Pod) => boolean): Promise<void> {
    for (const pod of this.#stale.filter(which)) {
      await this.#files.remove(pod);
      this.#stale = this.#stale.filter((other) => other !== pod);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

function seenAt({ metadata }: Pod): number {
  return Date.parse(metadata.annotations?.[ConfigAnnotations.seen] ?? "") || 0;
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
