/** A cluster in memory, for virtual time: the store of an API server with its watches, without any socket. */
import { ApiError } from "../src/client/api-error.js";
import { type Query, Reach, type RequestOptions, type WriteOptions } from "../src/client/client.js";
import type { Client, ClientParts, KubeClients } from "../src/kube-clients.js";

export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly [key: string]: unknown;
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
  readonly [key: string]: unknown;
}

interface Named {
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

interface Watcher {
  readonly collection: string;
  readonly selector: string | undefined;
  send(type: string, object: object): void;
  end(): void;
}

type Json = Record<string, unknown>;

export class FakeCluster {
  readonly objects = new Map<string, Stored>();
  /** `PATCH /api/v1/...`, in the order of asking. */
  readonly requests: { readonly method: string; readonly path: string; readonly body?: unknown }[] = [];
  /** No answers at all. */
  down = false;
  /** No answers to these. */
  refuses: (path: string) => boolean = () => false;
  /** PATCHes that the server gives up with 409, because others write the same object all the time. */
  conflicts = 0;
  /** Paths of the streams that were asked for. */
  readonly asked: string[] = [];
  readonly #watchers = new Set<Watcher>();
  #version = 1;

  clients = (_options: unknown, { clock }: Pick<ClientParts, "clock">): KubeClients => {
    const reach = new Reach(clock);
    const client = this.#client(reach);
    return {
      reach,
      general: client,
      statuses: client,
      looks: client,
      tokenReviews: client,
      accessReviews: client,
      events: client,
      heartbeat: this.#client(reach, true),
      watches: client,
      close: async () => this.cut(),
    };
  };

  /** `path` of a collection. */
  put(path: string, object: Named): Stored {
    const key = `${path}/${object.metadata.name}`;
    const before = this.objects.get(key);
    const resourceVersion = String(++this.#version);
    const uid = before?.metadata.uid ?? `uid-${this.#version}`;
    const stored: Stored = { ...object, metadata: { generation: 1, uid, ...object.metadata, resourceVersion } };
    this.objects.set(key, stored);
    this.#tell(before === undefined ? "ADDED" : "MODIFIED", key, stored);
    return stored;
  }

  pod(name: string, namespace = "default"): Stored | undefined {
    return this.objects.get(`/api/v1/namespaces/${namespace}/pods/${name}`);
  }

  addPod(name: string, spec: object, more: object = {}): Stored {
    return this.put("/api/v1/namespaces/default/pods", {
      metadata: { name, namespace: "default", ...more },
      spec: { nodeName: "node1", ...spec },
      status: {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
      },
    });
  }

  /** As `kubectl delete`: asked to go, and gone once the node says so. */
  askToGo(name: string, deletionGracePeriodSeconds = 30): void {
    const pod = this.pod(name);
    if (pod === undefined) throw new Error(`no pod ${name}`);
    const deletionTimestamp = "2026-01-01T00:00:30Z";
    this.put("/api/v1/namespaces/default/pods", {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds, generation: 2 },
    });
  }

  /** Gone at once, without a deletion timestamp. */
  remove(path: string, name: string): void {
    const key = `${path}/${name}`;
    const before = this.objects.get(key);
    if (before === undefined) throw new ApiError(404, "NotFound", `${key} not found`);
    this.objects.delete(key);
    this.#tell("DELETED", key, {
      ...before,
      metadata: { ...before.metadata, resourceVersion: String(++this.#version) },
    });
  }

  /** Ends all watches. */
  cut(): void {
    for (const watcher of this.#watchers) watcher.end();
    this.#watchers.clear();
  }

  events(): readonly Json[] {
    return [...this.objects].filter(([key]) => key.includes("/events/")).map(([, object]) => object as unknown as Json);
  }

  /** `isHeartbeat`: what becomes of its requests says whether the server can be reached. */
  #client(reach: Reach, isHeartbeat = false): Client {
    const reached = (path: string): void => {
      const isAway = this.down || this.refuses(path);
      if (isHeartbeat && isAway) reach.failed(0);
      else if (isHeartbeat) reach.answered();
      if (isAway) throw new ApiError(0, "Unreachable", "nobody answers");
    };
    const ask = async <T>(method: string, path: string, body: unknown, work: () => unknown): Promise<T> => {
      reached(path);
      this.requests.push({ method, path, body });
      return structuredClone(work()) as T;
    };
    return {
      get: (path) => ask("GET", path, undefined, () => this.#get(path)),
      create: (path: string, body: unknown, options?: WriteOptions) =>
        ask("POST", path, body, () => {
          const object = body as Stored;
          if (this.objects.has(`${path}/${object.metadata.name}`))
            throw new ApiError(409, "AlreadyExists", "it is there");
          return answered(this.put(path, structuredClone(object)), options);
        }),
      replace: (path: string, body: unknown) =>
        ask("PUT", path, body, () => {
          const before = this.#get(path) as Stored;
          const object = body as Stored;
          if (object.metadata.resourceVersion !== before.metadata.resourceVersion)
            throw new ApiError(409, "Conflict", "newer");
          return this.put(collectionOf(path), structuredClone(object));
        }),
      patch: (path: string, body: unknown, options?: WriteOptions) =>
        ask("PATCH", path, body, () => {
          if (this.conflicts > 0) {
            this.conflicts -= 1;
            throw new ApiError(
              409,
              "Conflict",
              "the object has been modified; please apply your changes to the latest version",
            );
          }
          const plain = path.replace(/\/status$/, "");
          const before = this.#get(plain) as Stored;
          const { uid } = (body as { metadata?: { uid?: string } }).metadata ?? {};
          if (uid !== undefined && uid !== before.metadata.uid) throw new ApiError(409, "Conflict", "another uid");
          const after = merged(structuredClone(before), body as Json) as unknown as Stored;
          return answered(this.put(collectionOf(plain), after), options);
        }),
      delete: (path: string, body: unknown) =>
        ask<void>("DELETE", path, body, () => {
          const before = this.#get(path) as Stored;
          const { uid } = (body as { preconditions?: { uid?: string } }).preconditions ?? {};
          if (uid !== undefined && uid !== before.metadata.uid) throw new ApiError(409, "Conflict", "another uid");
          const { finalizers = [] } = before.metadata as { finalizers?: readonly string[] };
          if (finalizers.length === 0) this.remove(collectionOf(path), before.metadata.name);
          else
            this.put(collectionOf(path), {
              ...before,
              metadata: { ...before.metadata, deletionGracePeriodSeconds: 0 },
            });
        }),
      stream: async (path: string, query: Query, signal: AbortSignal) => {
        this.asked.push(path);
        reached(path);
        return this.#stream(path, query, signal);
      },
      pause: (milliseconds, signal, began) => reach.pause(milliseconds, signal, began),
    } as Client & { get<T>(path: string, options?: RequestOptions): Promise<T> };
  }

  #get(path: string): unknown {
    const found = this.objects.get(path);
    if (found === undefined) throw new ApiError(404, "NotFound", `${path} not found`);
    return found;
  }

  #stream(collection: string, query: Query, signal: AbortSignal): AsyncIterable<Buffer> {
    const queue: Buffer[] = [];
    let wake: () => void = () => undefined;
    let ended = false;
    const selector = query.fieldSelector as string | undefined;
    const watcher: Watcher = {
      collection,
      selector,
      send(type, object) {
        queue.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
        wake();
      },
      end() {
        ended = true;
        wake();
      },
    };
    if (query.sendInitialEvents !== true) {
      watcher.send("ERROR", { code: 410, reason: "Expired", message: "too old" });
      watcher.end();
    } else {
      for (const [key, object] of this.objects) if (isSelected(watcher, key, object)) watcher.send("ADDED", object);
      const annotations = { "k8s.io/initial-events-end": "true" };
      watcher.send("BOOKMARK", { metadata: { resourceVersion: String(this.#version), annotations } });
      this.#watchers.add(watcher);
    }
    signal.addEventListener("abort", () => watcher.end(), { once: true });
    const watchers = this.#watchers;
    return (async function* () {
      try {
        for (;;) {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield next;
          if (ended) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        watchers.delete(watcher);
      }
    })();
  }

  #tell(type: string, key: string, object: Stored): void {
    for (const watcher of this.#watchers) if (isSelected(watcher, key, object)) watcher.send(type, object);
  }
}

function isSelected({ collection, selector = "" }: Watcher, key: string, { metadata, spec }: Stored): boolean {
  const plural = collection.split("/").at(-1);
  const isIn =
    collectionOf(key) === collection || (collection === `/api/v1/${plural}` && key.split("/").at(-2) === plural);
  if (!isIn) return false;
  const [, field, value] = /^([^=!]+)=(.*)$/.exec(selector) ?? [];
  if (field === "metadata.name") return metadata.name === value;
  if (field === "spec.nodeName") return spec?.nodeName === value;
  return true;
}

function answered({ metadata, ...rest }: Stored, options?: WriteOptions): object {
  return options?.answer === "metadata" ? { metadata } : { metadata, ...rest };
}

function collectionOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** A strategic merge, as far as statuses go: conditions by type, `$patch`, null. */
function merged(before: unknown, patch: unknown, key = ""): unknown {
  if (Array.isArray(patch)) return mergedList(Array.isArray(before) ? before : [], patch as Json[], key);
  if (typeof patch !== "object" || patch === null) return patch;
  const into = { ...(before as Json | undefined) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete into[name];
    else into[name] = merged(into[name], value, name);
  }
  return into;
}

function mergedList(before: readonly Json[], patch: readonly Json[], key: string): unknown {
  if (patch.some(({ $patch }) => $patch === "replace")) return patch.filter(({ $patch }) => $patch === undefined);
  if (key !== "conditions") return patch;
  const all = new Map(before.map((one) => [one.type, one]));
  for (const one of patch) {
    if (one.$patch === "delete") all.delete(one.type);
    else all.set(one.type, merged(all.get(one.type), one) as Json);
  }
  return [...all.values()];
}
