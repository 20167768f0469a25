/** The API's own view of pods, as it comes: when each was bound, ran, was Ready, ended. Milliseconds since 1970. */
import { readFileSync } from "node:fs";
import type { ClientRequest } from "node:http";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { type ListedPod, there } from "../cluster.js";

export interface Seen {
  bound?: number;
  running?: number;
  ready?: number;
  ended?: number;
  /** As it is now, and when it became so. */
  isReady?: boolean;
  turned?: number;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

interface Line {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "ERROR";
  readonly object: ListedPod & { readonly metadata: { readonly resourceVersion: string } };
}

/** One watch of a namespace's pods; where the API server ends it (it does that to who reads too slowly) it goes on where it was. */
export class PodWatch {
  readonly seen = new Map<string, Seen>();
  readonly #credentials: { readonly ca: string; readonly cert: string; readonly key: string };
  #version: string | undefined;
  #asked: ClientRequest | undefined;
  #stopped = false;

  private constructor(private readonly namespace: string) {
    const { clusters, users } = JSON.parse(readFileSync(there.kubeconfig, "utf8")) as Kubeconfig;
    const decode = (text = ""): string => Buffer.from(text, "base64").toString();
    const user = users[0]?.user;
    this.#credentials = {
      ca: decode(clusters[0]?.cluster["certificate-authority-data"]),
      cert: decode(user?.["client-certificate-data"]),
      key: decode(user?.["client-key-data"]),
    };
  }

  static async start(namespace: string): Promise<PodWatch> {
    const watch = new PodWatch(namespace);
    await new Promise<void>((resolve, reject) => watch.#ask(resolve, reject));
    return watch;
  }

  #ask(begun: () => void, failed: (error: Error) => void): void {
    const from = this.#version === undefined ? "" : `&resourceVersion=${this.#version}`;
    const url = `${there.server}/api/v1/namespaces/${this.namespace}/pods?watch=1${from}`;
    const again = once((): void => {
      if (!this.#stopped) setTimeout(() => this.#ask(begun, failed), 10);
    });
    this.#asked = request(url, { ...this.#credentials, agent: false });
    this.#asked.once("response", (response) => {
      begun();
      response.on("error", again);
      response.once("close", again);
      const lines = createInterface({ input: response });
      lines.on("error", again); // it passes on those of the response
      lines.on("line", (line) => this.#heard(JSON.parse(line) as Line));
    });
    this.#asked.on("error", (error) => {
      failed(error);
      again();
    });
    this.#asked.end();
  }

  #heard({ type, object }: Line): void {
    this.#version = type === "ERROR" ? undefined : object.metadata.resourceVersion;
    if (type !== "ERROR") this.#saw(object);
  }

  #saw({ metadata, spec, status }: ListedPod): void {
    const now = Date.now();
    const one = this.seen.get(metadata.name) ?? {};
    this.seen.set(metadata.name, one);
    if (spec.nodeName !== undefined) one.bound ??= now;
    if (status.phase === "Running") one.running ??= now;
    const isReady = status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
    if (isReady) one.ready ??= now;
    if (isReady !== one.isReady) [one.isReady, one.turned] = [isReady, now];
    if (status.phase === "Failed" || status.phase === "Succeeded") one.ended ??= now;
  }

  stop(): void {
    this.#stopped = true;
    this.#asked?.destroy();
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
