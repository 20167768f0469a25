/** The services that pods find in their environment: those with a cluster IP. */
import type { Clock } from "@hooklet/core";
import { unlessAborted } from "@hooklet/core/subsystem";
import type { Service } from "kubernetes-types/core/v1.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { KubeObject } from "../client/watch-events.js";

type Listed = KubeObject & Service;

export interface KubeServicesPorts {
  readonly watches: Pick<KubeClient, "get" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  report(where: string, error: unknown): void;
}

export class KubeServices {
  /** Namespace -> name -> service. */
  #all: Map<string, Map<string, Listed>> | undefined;
  readonly #watch: ListWatch<Listed>;
  #resolveListed: () => void = () => undefined;
  readonly #listed = new Promise<void>((resolve) => {
    this.#resolveListed = resolve;
  });

  constructor(ports: KubeServicesPorts) {
    const { watches: client, clock, random, report } = ports;
    this.#watch = new ListWatch<Listed>({
      client,
      clock,
      random,
      path: paths.allServices,
      query: { fieldSelector: "spec.clusterIP!=None" },
      sink: {
        replace: (services) => {
          this.#all = new Map();
          for (const service of services) this.#set(service);
          this.#resolveListed();
        },
        changed: (type, service) => {
          if (type === "DELETED") this.#all?.get(service.metadata.namespace ?? "")?.delete(service.metadata.name);
          else this.#set(service);
        },
        failed: (error) => report("watch of services", error),
      },
    });
  }

  start(): void {
    this.#watch.start();
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  /** Services with a cluster IP, once the first list has arrived; rejects with the signal's reason. */
  async list(namespaces: readonly string[], signal: AbortSignal): Promise<readonly Service[]> {
    if (this.#all === undefined) await unlessAborted(signal, this.#listed);
    return namespaces.flatMap((namespace) => [...(this.#all?.get(namespace)?.values() ?? [])]);
  }

  #set(service: Listed): void {
    const { namespace = "", name } = service.metadata;
    const services = this.#all?.get(namespace) ?? new Map<string, Listed>();
    this.#all?.set(namespace, services.set(name, service));
  }
}
