/**
 * ConfigMaps and Secrets of the pods of this node. Objects in volumes are watched one by one, as the Node authorizer
 * requires; objects read once per start (env, pull secrets) are fetched then. No watch for objects that cannot change
 * (`immutable`), nor for the root certificates of each namespace.
 */
import { type Clock, type Pod, sleep } from "@hooklet/core";
import type { ObjectChange, ObjectKind, ObjectName } from "@hooklet/core/subsystem";
import type * as v1 from "kubernetes-types/core/v1.js";
import { isApiError } from "../client/api-error.js";
import type { BackOffRule } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { KubeObject } from "../client/watch-events.js";
import { referencesOf } from "./references.js";

type StoredObject = KubeObject & { readonly immutable?: boolean };

export interface ObjectStorePorts {
  /** For single reads. */
  readonly client: Pick<KubeClient, "get">;
  /** For watches. */
  readonly watches: Pick<KubeClient, "get" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  report(where: string, error: unknown): void;
}

interface Entry {
  readonly kind: ObjectKind;
  readonly name: ObjectName;
  /** Uid of a pod -> whether it follows the object. */
  readonly pods: Map<string, boolean>;
  /** How many of them follow it. */
  followers: number;
  watch?: ListWatch<StoredObject>;
  /** What the watch says; undefined until it has spoken. */
  seen?: { readonly object: StoredObject | undefined };
  /** Callers that wait for the object. */
  readonly waiting: Set<() => void>;
}

/** The map that every namespace has with the cluster's certificate authority: it changes once in years. */
const ROOT_CA = "kube-root-ca.crt";
/** Milliseconds that a read waits for the first answer of a watch. */
const FIRST_WORD = 1_000;
/** For a new pod's objects: the authorizer gets the pod a moment later than this node. */
const backOff: BackOffRule = { first: 100, last: 30_000, jitter: 1, reset: 120_000 };

export class ObjectStore {
  readonly #entries = new Map<string, Entry>();
  /** Uid -> keys of what the pod refers to. */
  readonly #pods = new Map<string, ReadonlySet<string>>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  /** Requests under way: many pods start with the same map at the same moment. */
  readonly #reads = new Map<string, Promise<StoredObject | undefined>>();

  constructor(private readonly ports: ObjectStorePorts) {}

  /** The pod is here, or refers to something else now: new references are taken before old ones go. */
  refer(pod: Pod): void {
    const { uid, namespace } = pod.metadata;
    const before = this.#pods.get(uid);
    const keys = new Set<string>();
    for (const { kind, name, followed } of referencesOf(pod)) {
      const key = keyOf(kind, { namespace, name });
      keys.add(key);
      const entry = this.#entries.get(key) ?? newEntry(kind, { namespace, name });
      this.#entries.set(key, entry);
      entry.followers += Number(followed) - Number(entry.pods.get(uid) ?? false);
      entry.pods.set(uid, followed);
      this.#follow(entry);
    }
    this.#pods.set(uid, keys);
    for (const key of before ?? []) if (!keys.has(key)) this.#drop(key, uid);
  }

  /** The pod is gone for good. */
  forget(uid: string): void {
    for (const key of this.#pods.get(uid) ?? []) this.#drop(key, uid);
    this.#pods.delete(uid);
  }

  /**
   * The newest copy; undefined when there is no such object. For a watched object it waits a second for the watch's first answer.
   * Rejects with ApiError; retry then.
   */
  read(kind: "ConfigMap", name: ObjectName, signal: AbortSignal): Promise<v1.ConfigMap | undefined>;
  read(kind: "Secret", name: ObjectName, signal: AbortSignal): Promise<v1.Secret | undefined>;
  async read(kind: ObjectKind, name: ObjectName, signal: AbortSignal): Promise<unknown> {
    const entry = this.#entries.get(keyOf(kind, name));
    if (entry?.watch !== undefined && entry.seen === undefined) await this.#firstWord(entry, signal);
    if (entry?.seen !== undefined) return entry.seen.object;
    return this.#get(kind, name, entry);
  }

  /** Called after an object that is followed has changed, or is gone. Returns what ends it. */
  watch(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** How many watches are open. */
  get watches(): number {
    return [...this.#entries.values()].filter(({ watch }) => watch !== undefined).length;
  }

  async stop(): Promise<void> {
    const open = [...this.#entries.values()].flatMap(({ watch }) => watch ?? []);
    this.#entries.clear();
    await Promise.all(open.map((watch) => watch.stop()));
  }

  #follow(entry: Entry): void {
    const { kind, name } = entry;
    if (entry.followers === 0) {
      this.#unwatch(entry);
      return;
    }
    if (entry.watch !== undefined || entry.seen?.object?.immutable === true || name.name === ROOT_CA) return;
    const { watches: client, clock, random } = this.ports;
    const receive = (object: StoredObject | undefined): void => this.#received(entry, object);
    entry.watch = new ListWatch<StoredObject>({
      client,
      clock,
      random,
      backOff,
      path: collectionOf(kind, name.namespace),
      query: { fieldSelector: `metadata.name=${name.name}` },
      sink: {
        replace: ([object]) => receive(object),
        changed: (type, object) => receive(type === "DELETED" ? undefined : object),
        failed: (error) => {
          // A 403 usually means that the authorizer does not know the pod yet.
          if (!isApiError(error, 403)) this.ports.report(`watch of ${kind} ${name.namespace}/${name.name}`, error);
        },
      },
    });
    entry.watch.start();
  }

  #received(entry: Entry, object: StoredObject | undefined): void {
    const before = entry.seen;
    entry.seen = { object };
    for (const wake of entry.waiting) wake();
    if (object?.immutable === true) this.#stopWatch(entry);
    const same = before !== undefined && versionOf(before.object) === versionOf(object);
    // The first answer serves pending reads; it is no change.
    if (same || before === undefined) return;
    const change = { kind: entry.kind, name: entry.name };
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.ports.report("listener of ConfigMaps and Secrets", error);
      }
    }
  }

  async #firstWord(entry: Entry, signal: AbortSignal): Promise<void> {
    const word = new AbortController();
    const wake = (): void => word.abort();
    entry.waiting.add(wake);
    try {
      await sleep(this.ports.clock, FIRST_WORD, AbortSignal.any([signal, word.signal]));
    } catch {
      if (signal.aborted) throw signal.reason;
    } finally {
      entry.waiting.delete(wake);
    }
  }

  async #get(kind: ObjectKind, name: ObjectName, entry: Entry | undefined): Promise<StoredObject | undefined> {
    const key = keyOf(kind, name);
    let reading = this.#reads.get(key);
    if (reading === undefined) {
      const path = `${collectionOf(kind, name.namespace)}/${encodeURIComponent(name.name)}`;
      reading = this.ports.client.get<StoredObject>(path).catch((error: unknown) => {
        if (isApiError(error, 404)) return undefined;
        throw error;
      });
      this.#reads.set(key, reading);
      const done = (): void => void this.#reads.delete(key);
      reading.then(done, done);
    }
    const object = await reading;
    const lasts = object?.immutable === true || (object !== undefined && name.name === ROOT_CA);
    if (entry !== undefined && lasts) entry.seen = { object };
    return object;
  }

  #drop(key: string, uid: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.followers -= Number(entry.pods.get(uid) ?? false);
    entry.pods.delete(uid);
    if (entry.pods.size === 0) {
      this.#entries.delete(key);
      this.#stopWatch(entry);
    } else this.#follow(entry);
  }

  /** An object that is not watched any more is fetched again by its next reader. */
  #unwatch(entry: Entry): void {
    if (entry.watch === undefined) return;
    this.#stopWatch(entry);
    if (entry.seen?.object?.immutable !== true) delete entry.seen;
  }

  #stopWatch(entry: Entry): void {
    const { watch } = entry;
    delete entry.watch;
    watch?.stop().catch((error: unknown) => this.ports.report("end of a watch", error));
  }
}

function newEntry(kind: ObjectKind, name: ObjectName): Entry {
  return { kind, name, pods: new Map(), followers: 0, waiting: new Set() };
}

function keyOf(kind: ObjectKind, { namespace, name }: ObjectName): string {
  return `${kind}/${namespace}/${name}`;
}

function versionOf(object: StoredObject | undefined): string | undefined {
  return object === undefined ? undefined : `${object.metadata.uid}/${object.metadata.resourceVersion}`;
}

function collectionOf(kind: ObjectKind, namespace: string): string {
  return kind === "ConfigMap" ? paths.configMaps(namespace) : paths.secrets(namespace);
}
