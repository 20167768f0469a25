/**
 * Which ConfigMaps, Secrets and tokens a pod gets: those of the plugin that brought it, else those of the control socket, where the rc file
 * opens them to the pod's source. Who brings pods names any namespace: what root applied for one pod is no other source's.
 */
import type { Pod } from "@hooklet/manifest";
import { NodeAgentError } from "@hooklet/utils";
import type { ConfigMap, Secret } from "kubernetes-types/core/v1.js";
import { isRestricted, sourceKey } from "../admission/restrictions.js";
import type { SourcesConfig } from "../config/agent-config.js";
import type { ProviderRegistry } from "../plugin/providers.js";
import type { ObjectStore } from "../sources/object-store.js";
import type { ObjectChange, ObjectKind, ObjectName, ObjectSource, ObjectsPort } from "../sources/objects.js";
import type { SourceList } from "./source-list.js";

export interface ObjectsParts {
  readonly store: ObjectStore;
  readonly providers: Pick<ProviderRegistry, "objectsOf" | "objectSources">;
  readonly sources: Pick<SourceList, "ownerOf">;
  /** The source that delivered the pod. */
  sourceOf(uid: string): string | undefined;
  readonly config: Pick<SourcesConfig, "objects" | "restrictions">;
}

export function objectsHub({ store, providers, sources, sourceOf, config }: ObjectsParts): ObjectsPort {
  return {
    of({ metadata: { uid } }: Pod): ObjectSource {
      const source = sourceOf(uid);
      const owner = sources.ownerOf(source);
      const own = owner === undefined ? undefined : providers.objectsOf(owner);
      return own ?? (sourceKey(source) === "control" ? store : new OpenedObjects(store, source, config));
    },
    watch(listener: (change: ObjectChange) => void): () => void {
      const ends = [store, ...providers.objectSources()].map((source) => source.watch(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    applied: () => store.list(),
  };
}

/** The store as pods of another source than the control socket see it. */
class OpenedObjects implements ObjectSource {
  constructor(
    private readonly store: ObjectStore,
    private readonly source: string | undefined,
    private readonly config: Pick<SourcesConfig, "objects" | "restrictions">,
  ) {}

  read(kind: "ConfigMap", name: ObjectName, signal: AbortSignal): Promise<ConfigMap | undefined>;
  read(kind: "Secret", name: ObjectName, signal: AbortSignal): Promise<Secret | undefined>;
  async read(kind: ObjectKind, name: ObjectName): Promise<ConfigMap | Secret | undefined> {
    const why = this.#closed(kind);
    if (why !== undefined)
      throw new NodeAgentError("INVALID", `${kind} ${name.namespace}/${name.name} cannot be used: ${why}`);
    return kind === "ConfigMap" ? this.store.read("ConfigMap", name) : this.store.read("Secret", name);
  }

  watch(listener: (change: ObjectChange) => void): () => void {
    return this.store.watch(listener);
  }

  #closed(kind: ObjectKind): string | undefined {
    const { objects = [], restrictions = {} } = this.config;
    const key = sourceKey(this.source);
    const named = this.source ?? "this pod";
    if (!objects.some((one) => one === key)) {
      return `pods of source ${named} do not see what hooklet apply was given. To open it add ${key} to sources.objects in the rc file`;
    }
    if (kind === "ConfigMap" || !isRestricted(this.source, restrictions)) return undefined;
    return `source ${named} is restricted (sources.restrictions.${key}), and pods of restricted sources see no Secrets`;
  }
}
