/** Volumes that plugins fill: requested before the first container starts, again after a restart of the agent, released at the end. */
import path from "node:path";
import type { Pod, ProvidedKind } from "@hooklet/manifest";
import {
  type Clock,
  type NodeAgentError,
  providerOutput,
  tookTooLong,
  unsupported,
  withDeadline,
} from "@hooklet/utils";
import type { Volume } from "kubernetes-types/core/v1.js";
import type { ProviderRegistry } from "../../plugin/providers.js";

/** Milliseconds that a provider may take for one volume. */
const DEADLINE = 120_000;

interface KindRule {
  /** The kubelet's, below `volumes/`. */
  readonly directory: string;
  /** Mounts of it are always read-only; the agent creates its directory, in memory where it may contain a secret. */
  readonly content?: "disk" | "memory";
}

const KINDS = {
  configMap: { directory: "kubernetes.io~configmap", content: "disk" },
  secret: { directory: "kubernetes.io~secret", content: "memory" },
  projected: { directory: "kubernetes.io~projected", content: "memory" },
  downwardAPI: { directory: "kubernetes.io~downward-api", content: "memory" },
  persistentVolumeClaim: { directory: "kubernetes.io~persistent-volume-claim" },
  csi: { directory: "kubernetes.io~csi" },
  ephemeral: { directory: "kubernetes.io~ephemeral" },
} as const satisfies Partial<Record<ProvidedKind, KindRule>>;

type Kind = keyof typeof KINDS;

function kindOf(volume: Volume): Kind | undefined {
  return (Object.keys(KINDS) as Kind[]).find((kind) => volume[kind] !== undefined);
}

export class ProvidedVolumes {
  /** Pod uid -> volume -> where on the host it lies. */
  readonly #prepared = new Map<string, Map<string, string>>();

  constructor(
    private readonly providers: Pick<ProviderRegistry, "volumesOf">,
    private readonly clock: Clock,
  ) {}

  isProvided(volume: Volume): boolean {
    return kindOf(volume) !== undefined;
  }

  /** Whether all that the pod has of such volumes has been prepared in this life of the agent. */
  isReady(pod: Pod): boolean {
    const known = this.#prepared.get(pod.metadata.uid);
    return (pod.spec.volumes ?? []).every((volume) => !this.isProvided(volume) || known?.has(volume.name));
  }

  isReadOnly(volume: Volume): boolean {
    return (
      this.content(volume) !== undefined ||
      volume.persistentVolumeClaim?.readOnly === true ||
      volume.csi?.readOnly === true
    );
  }

  /** Where the provider's files are kept; undefined: it brings its own file system. */
  content(volume: Volume): "disk" | "memory" | undefined {
    const kind = kindOf(volume);
    const rule: KindRule | undefined = kind === undefined ? undefined : KINDS[kind];
    return rule?.content;
  }

  /** Below the directory of the pod. */
  steps(volume: Volume): readonly string[] {
    return ["volumes", KINDS[kindOf(volume) as Kind].directory, path.basename(volume.name)];
  }

  /** The place that the provider returned; undefined: its directory. */
  place(pod: Pod, volume: Volume): string | undefined {
    return this.#prepared.get(pod.metadata.uid)?.get(volume.name);
  }

  /** Rejects with what the provider says, or when it takes too long. */
  async prepare(pod: Pod, directory: string, volume: Volume, signal: AbortSignal): Promise<void> {
    const kind = kindOf(volume) as Kind;
    const provider = this.providers.volumesOf(kind);
    if (provider === undefined)
      throw unsupported(`no plugin provides volumes of kind ${kind}`, "Switch on one that does.");
    const given = new AbortController();
    const both = AbortSignal.any([signal, given.signal]);
    const late = (): Error => {
      const error = lateProvider(volume, "did not prepare it");
      given.abort(error);
      return error;
    };
    const work = (async () => provider.prepare(pod, volume, directory, both))();
    const place = await withDeadline(this.clock, DEADLINE, work, late);
    if (place !== undefined && !path.isAbsolute(place)) {
      throw providerOutput(`The provider of volume ${volume.name}`, "an absolute path of the host", place);
    }
    const own = this.#prepared.get(pod.metadata.uid) ?? new Map<string, string>();
    this.#prepared.set(pod.metadata.uid, own.set(volume.name, place ?? directory));
  }

  /** All volumes of the pod, before their directories go. Rejects when one could not be given back: the removal is tried again. */
  async release(pod: Pod, directory: (volume: Volume) => string): Promise<void> {
    for (const volume of pod.spec.volumes ?? []) {
      const kind = kindOf(volume);
      const provider = kind === undefined ? undefined : this.providers.volumesOf(kind);
      if (provider?.release === undefined) continue;
      const late = (): Error => lateProvider(volume, "did not take it back");
      const work = (async () => provider.release?.(pod, volume, directory(volume)))();
      await withDeadline(this.clock, DEADLINE, work, late);
    }
    this.#prepared.delete(pod.metadata.uid);
  }
}

function lateProvider({ name }: Volume, what: string): NodeAgentError {
  return tookTooLong("PROVIDER_TIMEOUT", `The provider of volume ${name}`, what, DEADLINE / 1000);
}
