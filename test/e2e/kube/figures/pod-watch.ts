/** The API's own view of pods, as it comes: when each was bound, ran, was Ready, ended. Milliseconds since 1970. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { type ListedPod, there } from "../cluster.js";

export interface Seen {
  bound?: number;
  running?: number;
  ready?: number;
  ended?: number;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

export class PodWatch {
  readonly seen = new Map<string, Seen>();
  readonly #stop: () => void;

  private constructor(stop: (watch: PodWatch) => () => void) {
    this.#stop = stop(this);
  }

  static start(namespace: string): Promise<PodWatch> {
    const { clusters, users } = JSON.parse(readFileSync(there.kubeconfig, "utf8")) as Kubeconfig;
    const decode = (text = ""): string => Buffer.from(text, "base64").toString();
    const user = users[0]?.user;
    const credentials = {
      ca: decode(clusters[0]?.cluster["certificate-authority-data"]),
      cert: decode(user?.["client-certificate-data"]),
      key: decode(user?.["client-key-data"]),
    };
    return new Promise((resolve, reject) => {
      const asked = request(`${there.server}/api/v1/namespaces/${namespace}/pods?watch=1`, credentials);
      asked.once("error", reject);
      asked.once("response", (response) => {
        const watch = new PodWatch((self) => {
          const lines = createInterface({ input: response });
          lines.on("line", (line) => self.#saw(JSON.parse(line) as { type: string; object: ListedPod }));
          return () => asked.destroy();
        });
        asked.on("error", () => undefined); // our own end of it
        resolve(watch);
      });
      asked.end();
    });
  }

  #saw({ object: { metadata, spec, status } }: { object: ListedPod }): void {
    const now = Date.now();
    const one = this.seen.get(metadata.name) ?? {};
    this.seen.set(metadata.name, one);
    if (spec.nodeName !== undefined) one.bound ??= now;
    if (status.phase === "Running") one.running ??= now;
    if (status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true)
      one.ready ??= now;
    if (status.phase === "Failed" || status.phase === "Succeeded") one.ended ??= now;
  }

  stop(): void {
    this.#stop();
  }
}
