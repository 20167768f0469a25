/** Whose ConfigMaps, Secrets and tokens a pod gets: those of the plugin that brought it, else those of the control socket. */
import type { Pod } from "@hooklet/manifest";
import type { ProviderRegistry } from "../plugin/providers.js";
import type { ObjectStore } from "../sources/object-store.js";
import type { ObjectChange, ObjectSource, ObjectsPort } from "../sources/objects.js";
import type { SourceList } from "./source-list.js";

export interface ObjectsParts {
  readonly store: ObjectStore;
  readonly providers: Pick<ProviderRegistry, "objectsOf" | "objectSources">;
  readonly sources: Pick<SourceList, "ownerOf">;
  /** The source that delivered the pod. */
  sourceOf(uid: string): string | undefined;
}

export function objectsHub({ store, providers, sources, sourceOf }: ObjectsParts): ObjectsPort {
  return {
    of({ metadata: { uid } }: Pod): ObjectSource {
      const owner = sources.ownerOf(sourceOf(uid));
      return (owner === undefined ? undefined : providers.objectsOf(owner)) ?? store;
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
