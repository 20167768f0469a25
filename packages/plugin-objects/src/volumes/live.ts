/** The volumes of running pods: each is filled when it is prepared, and again whenever its content has changed. */
import { errorText, type NodeContext, type Pod } from "@hooklet/core";
import type { ObjectChange, ObjectKind } from "@hooklet/core/subsystem";
import type { ConfigMap, Secret, Volume } from "kubernetes-types/core/v1.js";
import { needKey, tokenRequest, type VolumeNeeds, volumeNeeds } from "../payload/needs.js";
import { nestedMountpoints } from "../payload/paths.js";
import { volumePayload } from "../payload/volume.js";
import type { Tokens } from "./tokens.js";
import type { WriteVolume } from "./write.js";

interface Live {
  readonly volume: Volume;
  readonly directory: string;
  readonly needs: VolumeNeeds;
  pod: Pod;
  /** Writes of one volume are made one after the other. */
  last: Promise<unknown>;
  /** A refresh that waits for its turn will see what is new by then. */
  waiting: boolean;
  /** The last refresh failed with this. */
  fault?: string;
}

export type LivePorts = Pick<NodeContext, "clock" | "events" | "log" | "node" | "objects" | "signal">;

export class LiveVolumes {
  /** Pod uid -> volume -> it. */
  readonly #pods = new Map<string, Map<string, Live>>();
  /** Object -> volumes that use it. */
  readonly #users = new Map<string, Set<Live>>();

  constructor(
    private readonly ctx: LivePorts,
    private readonly tokens: Tokens,
    private readonly write: WriteVolume,
  ) {}

  /** Fills the volume and keeps it as it is to be. Rejects with what is missing. */
  async prepare(pod: Pod, volume: Volume, directory: string, signal: AbortSignal): Promise<void> {
    const live = this.#live(pod, volume, directory);
    live.pod = pod;
    await this.#inTurn(live, () => this.#fill(live, signal));
  }

  /** No write is under way any more afterwards. */
  async release(podUid: string, name: string): Promise<void> {
    const volumes = this.#pods.get(podUid);
    const live = volumes?.get(name);
    if (live === undefined) return;
    this.#forget(podUid, live);
    await live.last;
  }

  /** An object was added, changed or deleted: volumes that use it are filled again. */
  changed({ kind, name }: ObjectChange): void {
    for (const live of this.#users.get(objectKey(kind, name.namespace, name.name)) ?? []) this.#refresh(live);
  }

  /** A pod changed: volumes that say what it says follow its labels and annotations. */
  podChanged(uid: string, pod: Pod | undefined): void {
    const volumes = this.#pods.get(uid);
    if (volumes === undefined) return;
    if (pod === undefined) {
      for (const live of [...volumes.values()]) this.#forget(uid, live);
      this.tokens.forget(uid);
      return;
    }
    for (const live of volumes.values()) {
      const before = live.pod;
      live.pod = pod;
      if (live.needs.downward && saysOther(before, pod)) this.#refresh(live);
    }
  }

  /** Tokens that come of age, and what failed before. */
  refreshDue(): void {
    for (const volumes of this.#pods.values()) {
      for (const live of volumes.values()) {
        if (live.needs.tokens.length > 0 || live.fault !== undefined) this.#refresh(live);
      }
    }
  }

  /** Resolves once no write is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#pods.values()].flatMap((volumes) => [...volumes.values()].map(({ last }) => last)));
  }

  #live(pod: Pod, volume: Volume, directory: string): Live {
    const { uid, namespace } = pod.metadata;
    const volumes = this.#pods.get(uid) ?? new Map<string, Live>();
    this.#pods.set(uid, volumes);
    const known = volumes.get(volume.name);
    if (known !== undefined && known.directory === directory && known.volume === volume) return known;
    if (known !== undefined) this.#forget(uid, known);
    this.#pods.set(uid, volumes);
    const live: Live = {
      pod,
      volume,
      directory,
      needs: volumeNeeds(volume),
      last: known?.last ?? Promise.resolve(),
      waiting: false,
    };
    volumes.set(volume.name, live);
    for (const { kind, name } of live.needs.objects) {
      const key = objectKey(kind, namespace, name);
      this.#users.set(key, (this.#users.get(key) ?? new Set()).add(live));
    }
    return live;
  }

  #forget(uid: string, live: Live): void {
    const volumes = this.#pods.get(uid);
    volumes?.delete(live.volume.name);
    if (volumes?.size === 0) this.#pods.delete(uid);
    for (const { kind, name } of live.needs.objects) {
      const key = objectKey(kind, live.pod.metadata.namespace, name);
      const users = this.#users.get(key);
      users?.delete(live);
      if (users?.size === 0) this.#users.delete(key);
    }
  }

  #isKnown(live: Live): boolean {
    return this.#pods.get(live.pod.metadata.uid)?.get(live.volume.name) === live;
  }

  #refresh(live: Live): void {
    if (live.waiting) return;
    live.waiting = true;
    const work = async (): Promise<void> => {
      live.waiting = false;
      if (this.#isKnown(live)) await this.#fill(live, this.ctx.signal);
    };
    this.#inTurn(live, work).catch((error: unknown) => this.#failed(live, error));
  }

  /** The files stay as they are; each fault is reported once to the pod. */
  #failed(live: Live, error: unknown): void {
    if (this.ctx.signal.aborted || !this.#isKnown(live)) return;
    const text = `MountVolume.SetUp failed for volume "${live.volume.name}" : ${errorText(error)}`;
    if (live.fault === text) return;
    live.fault = text;
    this.ctx.events.pod(live.pod, "Warning", "FailedMount", text);
  }

  #inTurn(live: Live, work: () => Promise<void>): Promise<void> {
    const done = live.last.then(work);
    live.last = done.catch(() => {});
    return done;
  }

  async #fill(live: Live, signal: AbortSignal): Promise<void> {
    const { pod, volume, directory, needs } = live;
    const source = this.ctx.objects.of(pod);
    const { namespace } = pod.metadata;
    const read = async ({ kind, name }: VolumeNeeds["objects"][number]): Promise<Found> => {
      const wanted = { namespace, name };
      const object =
        kind === "ConfigMap" ? source.read("ConfigMap", wanted, signal) : source.read("Secret", wanted, signal);
      return [needKey({ kind, name }), await object.catch(asError)];
    };
    const objects = new Map(await Promise.all(needs.objects.map(read)));
    const tokens = await Promise.all(
      needs.tokens.map((one) => this.tokens.get(source, pod, tokenRequest(pod, one), signal).catch(asError)),
    );
    signal.throwIfAborted();
    const payload = volumePayload(pod, volume, { objects, tokens, allocatable: this.ctx.node.allocatable() });
    const group = pod.spec.securityContext?.fsGroup;
    const options = {
      now: this.ctx.clock.now(),
      nested: nestedMountpoints(pod, volume.name),
      ...(group !== undefined && { group }),
    };
    await this.write({ directory, payload, options }, pod);
    delete live.fault;
  }
}

type Found = readonly [key: string, object: ConfigMap | Secret | Error | undefined];

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function objectKey(kind: ObjectKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

function saysOther({ metadata: before }: Pod, { metadata: after }: Pod): boolean {
  const metadataText = ({ labels, annotations }: Pod["metadata"]): string => JSON.stringify([labels, annotations]);
  return before !== after && metadataText(before) !== metadataText(after);
}
