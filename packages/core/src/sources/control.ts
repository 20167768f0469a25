/** The pods that come through the control socket (`hooklet apply -f`) and are kept over restarts; they carry the mark `api`. */
import { join } from "node:path";
import {
  type ApiObject,
  apiPod,
  ConfigAnnotations,
  didYouMean,
  namespacedName,
  nearest,
  type Pod,
  readObjects,
  runsTheSame,
  saysTheSame,
} from "@hooklet/manifest";
import { agentStopping, type Clock, type IdSource, NodeAgentError } from "@hooklet/utils";
import type * as v1 from "kubernetes-types/core/v1.js";
import { ApiPodFiles } from "./checked-folder.js";
import { ObjectStore, subjectOf } from "./object-store.js";
import type { PodSource, SourceSink } from "./port.js";

export interface ApplyResult {
  /** `pod/<name>`, `configmap/<name>` or `secret/<name>`, with its namespace. */
  readonly subject: string;
  readonly action: "created" | "configured" | "unchanged";
}

export interface ControlSourceOptions {
  readonly rootDir: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Applies another spec to the running pod `before`, which then continues as `after`. Default: returns false. */
  readonly update?: (before: Pod, after: Pod) => boolean;
  /** Reports an error of a watcher of the objects. */
  readonly report?: (where: string, error: unknown) => void;
}

export interface ControlSource extends PodSource {
  /** ConfigMaps and Secrets that were applied. */
  readonly objects: ObjectStore;
  /**
   * Takes all pods, ConfigMaps and Secrets of a manifest or none. An existing pod of the same name and content is left alone; one with
   * other labels or annotations, or whose other spec a plugin applies, continues; any other one is replaced by a new one with a
   * new uid. Resolves once they are on disk and delivered.
   * @throws ManifestError with all faults; STATE_UNWRITABLE when they cannot be written
   */
  apply(text: string, where: string): Promise<readonly ApplyResult[]>;
  /**
   * Deletes the pod; `gracePeriodSeconds` replaces its own. A pod that is already stopping gets less time.
   * @throws NOT_FOUND with the nearest names; STATE_UNWRITABLE
   */
  delete(namespace: string, name: string, gracePeriodSeconds?: number): Promise<Pod>;
  /** Less time for a pod that was deleted before. */
  shorten(uid: string, gracePeriodSeconds: number): void;
  /** @throws NOT_FOUND with the nearest names; STATE_UNWRITABLE */
  deleteObject(kind: ApiObject["kind"], namespace: string, name: string): Promise<void>;
}

const MAX_PODS = 10_000;

export function controlSource(options: ControlSourceOptions): ControlSource {
  return new Control(options);
}

class Control implements ControlSource {
  readonly name = "control";
  readonly #options: ControlSourceOptions;
  readonly objects: ObjectStore;
  readonly #files: ApiPodFiles;
  readonly #pods = new Map<string, Pod>();
  /** Replaced pods whose files are still there. */
  #stale: Pod[] = [];
  #sink: SourceSink | undefined;
  #stopped = false;
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ControlSourceOptions) {
    this.#options = options;
    this.#files = new ApiPodFiles(join(options.rootDir, "api-pods"), options.clock);
    this.objects = new ObjectStore(join(options.rootDir, "api-objects"), options.clock, options.report);
  }

  async start(sink: SourceSink): Promise<void> {
    // First, so that no pod needs an object that has not been read yet.
    await this.objects.load((fault) => sink.fault(fault));
    const pods = await this.#files.read((fault) => sink.fault(fault));
    for (const pod of pods) this.#pods.set(namespacedName(pod.metadata), pod);
    this.#sink = sink;
    sink.desired(pods);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
    this.#sink = undefined;
  }

  apply(text: string, where: string): Promise<readonly ApplyResult[]> {
    return this.#inTurn(async () => {
      const { pods, objects } = await this.#read(text, where);
      this.objects.check(objects);
      const results = pods.map((pod) => this.#compare(pod));
      const taken = results.filter(({ action }) => action !== "unchanged");
      if (this.#pods.size + taken.length > MAX_PODS) {
        throw new NodeAgentError("INVALID", `More than ${MAX_PODS} pods; delete some before you apply others`);
      }
      const compared = objects.map((object) => ({ object, action: this.objects.action(object) }));
      // Before the pods that want them.
      await this.objects.put(compared.flatMap(({ object, action }) => (action === "unchanged" ? [] : object)));
      if (taken.length > 0) await this.#take(taken);
      return [
        ...compared.map(({ object, action }): ApplyResult => ({ subject: subjectOf(object), action })),
        ...results.map(({ pod, action }): ApplyResult => {
          const { namespace, name } = pod.metadata;
          return { subject: `pod/${name}${namespace === "default" ? "" : ` (${namespace})`}`, action };
        }),
      ];
    });
  }

  deleteObject(kind: ApiObject["kind"], namespace: string, name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.objects.delete(kind, { namespace, name })) return;
      const known = this.objects.list().flatMap((one) => (one.kind === kind ? namespacedName(one.metadata) : []));
      const key = namespacedName({ namespace, name });
      const text = `No ${kind} ${key} was applied with hooklet apply.${didYouMean(nearest(key, known))}`;
      throw new NodeAgentError("NOT_FOUND", text);
    });
  }

  #read(text: string, where: string): ReturnType<typeof readObjects> {
    const { nodeName, clock, ids } = this.#options;
    const now = clock.now();
    const read = (manifest: v1.Pod): Pod => {
      const before = this.#pods.get(namespacedName(namespaced(manifest)));
      // The clock may have been set back; a successor must still be the newer one.
      const seen = Math.max(now, before === undefined ? 0 : seenAt(before) + 1);
      return apiPod(manifest, { nodeName, seen, uid: ids.uid() });
    };
    return readObjects(text, where, read, this.#sink?.provided);
  }

  #compare(pod: Pod): Applied {
    const before = this.#pods.get(namespacedName(pod.metadata));
    if (before === undefined) return { pod, before, action: "created" };
    if (saysTheSame(before, pod)) return { pod, before, action: "unchanged" };
    const same = { ...pod, metadata: { ...pod.metadata, ...born(before) } };
    const goesOn = runsTheSame(before, pod) || this.#options.update?.(before, same) === true;
    return { pod: goesOn ? same : pod, before, action: "configured" };
  }

  async #take(taken: readonly Applied[]): Promise<void> {
    await this.#files.add(taken.map(({ pod }) => pod)).catch(async (error: unknown) => {
      // Those that go on have lost their files to a newer one, or to nothing.
      const kept = taken.flatMap(({ pod, before }) => (before?.metadata.uid === pod.metadata.uid ? before : []));
      await this.#files.add(kept).catch(() => {});
      throw error;
    });
    const replaced = taken.flatMap(({ pod, before }) =>
      before === undefined || before.metadata.uid === pod.metadata.uid ? [] : before,
    );
    for (const { pod } of taken) this.#pods.set(namespacedName(pod.metadata), pod);
    this.#stale.push(...replaced);
    this.#sink?.changed({
      removed: replaced.map(({ metadata: { uid } }) => ({ uid })),
      set: taken.map(({ pod }) => pod),
    });
    // What stays behind is older than its successor: tried again, at the latest at the next start.
    await this.#removeStale(() => true).catch(() => {});
  }

  delete(namespace: string, name: string, gracePeriodSeconds?: number): Promise<Pod> {
    return this.#inTurn(async () => {
      const key = namespacedName({ namespace, name });
      const pod = this.#pods.get(key);
      if (pod === undefined) {
        const hint = didYouMean(nearest(key, this.#pods.keys()));
        throw new NodeAgentError("NOT_FOUND", `No pod ${key} was applied with hooklet apply.${hint}`);
      }
      await this.#removeStale((old) => namespacedName(old.metadata) === key);
      await this.#files.remove(pod);
      this.#pods.delete(key);
      this.#sink?.changed({ removed: [{ uid: pod.metadata.uid, ...graceOf(gracePeriodSeconds) }] });
      return pod;
    });
  }

  shorten(uid: string, gracePeriodSeconds: number): void {
    this.#sink?.changed({ removed: [{ uid, gracePeriodSeconds }] });
  }

  /** A file that outlives its pod would bring it back. */
  async #removeStale(which: (pod: Pod) => boolean): Promise<void> {
    for (const pod of this.#stale.filter(which)) {
      await this.#files.remove(pod);
      this.#stale = this.#stale.filter((other) => other !== pod);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    // The next agent may have read the files already.
    if (this.#stopped) return Promise.reject(agentStopping());
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

function seenAt({ metadata }: Pod): number {
  return Date.parse(metadata.annotations?.[ConfigAnnotations.seen] ?? "") || 0;
}

/** The identity that a pod keeps when it continues with another manifest. */
function born({ metadata: { uid, creationTimestamp } }: Pod) {
  return { uid, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) };
}

function graceOf(seconds: number | undefined): { readonly gracePeriodSeconds?: number } {
  return seconds === undefined ? {} : { gracePeriodSeconds: seconds };
}

function namespaced({ metadata }: v1.Pod): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata?.namespace || "default", name: metadata?.name ?? "" };
}

interface Applied {
  readonly pod: Pod;
  /** Of the same name, from before. */
  readonly before: Pod | undefined;
  readonly action: ApplyResult["action"];
}
