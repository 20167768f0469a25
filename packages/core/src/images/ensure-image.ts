/** The image of a container, pulled when its policy says so (the kubelet's EnsureImageExists). */

import { type Image, isRuntimeError, type Runtime, RuntimeError } from "@hooklet/cri-api";
import type { Container, Pod } from "@hooklet/manifest";
import { type BackOff, type Clock, errorText, nextBackOff, Semaphore, unlessAborted } from "@hooklet/utils";
import type { EventRecorder } from "../plugin/contract.js";
import type { ProviderRegistry } from "../plugin/providers.js";
import { pullCredentials, pullKey, pullWith } from "./credentials.js";
import { ImageLeases } from "./leases.js";

type ImageFailure =
  | "ErrImagePull"
  | "ImagePullBackOff"
  | "ErrImageNeverPull"
  | "InvalidImageName"
  | "ImageInspectError";

/** Why a container has no image: its waiting reason and message. */
export class ImageError extends Error {
  override readonly name = "ImageError";

  constructor(
    readonly reason: ImageFailure,
    message: string,
    /** Monotonic milliseconds before which another try is useless. */
    readonly notBefore: number,
  ) {
    super(message);
  }
}

/** Milliseconds until a failing pod is retried when no back-off applies. */
const RETRY = 10_000;

interface Failure {
  readonly backOff: BackOff;
  readonly at: number;
  readonly message: string;
}

export interface ImageManagerPorts {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "imageStatus" | "pullImage" | "canPull">;
  readonly events: EventRecorder;
  /** Who knows credentials of registries, when a plugin does. */
  readonly providers?: Pick<ProviderRegistry, "credentials">;
  /** Called for a provider that fails. */
  report(where: string, error: unknown): void;
  /** One pull at a time; otherwise at most this many. */
  readonly maxParallelPulls: number;
}

export class ImageManager {
  readonly #failures = new Map<string, Failure>();
  readonly #pulls = new SharedPulls();
  readonly leases = new ImageLeases();
  readonly #slots: Semaphore;

  constructor(private readonly ports: ImageManagerPorts) {
    this.#slots = new Semaphore(ports.maxParallelPulls);
  }

  /**
   * @param handler the RuntimeClass handler of the pod's sandbox; "" is the runtime's default
   * @throws ImageError; the runtime's own error while it is unavailable
   */
  async ensure(pod: Pod, container: Container, handler: string, signal: AbortSignal): Promise<Image> {
    const name = container.image ?? "";
    const { clock, events } = this.ports;
    const policy = container.imagePullPolicy ?? "IfNotPresent";
    const present = await this.#status(pod, container, name, handler);
    const canPull = this.ports.runtime.canPull !== false;
    if (present !== undefined && (policy !== "Always" || !canPull || present.imported === true)) {
      events.pod(pod, "Normal", "Pulled", `Container image "${name}" already present on machine`, container.name);
      return present;
    }
    if (policy === "Never") {
      const message = `Container image "${name}" is not present with pull policy of Never`;
      events.pod(pod, "Warning", "ErrImageNeverPull", message, container.name);
      throw new ImageError("ErrImageNeverPull", message, clock.monotonic() + RETRY);
    }
    if (!canPull) return this.#cannotPull(pod, container, name, signal);
    this.#holdBack(pod, container, name);
    return this.#pull(pod, container, name, handler, signal);
  }

  /** Forgets the back-offs of a pod that is gone. */
  forget(podUid: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(`${podUid}_`)) this.#failures.delete(key);
  }

  async #status(pod: Pod, container: Container, name: string, handler: string): Promise<Image | undefined> {
    try {
      return await this.ports.runtime.imageStatus(name, handler);
    } catch (error) {
      if (isRuntimeError(error, "unavailable")) throw error;
      const notBefore = this.ports.clock.monotonic() + RETRY;
      if (isRuntimeError(error, "invalid-image-name")) {
        const message = `Failed to apply default image tag "${name}": ${errorText(error)}`;
        this.ports.events.pod(pod, "Warning", "InspectFailed", message, container.name);
        throw new ImageError("InvalidImageName", message, notBefore);
      }
      const message = `Failed to inspect image "${name}": ${errorText(error)}`;
      this.ports.events.pod(pod, "Warning", "InspectFailed", message, container.name);
      throw new ImageError("ImageInspectError", message, notBefore);
    }
  }

  #holdBack(pod: Pod, container: Container, name: string): void {
    const failure = this.#failures.get(`${pod.metadata.uid}_${name}`);
    if (failure === undefined) return;
    const until = failure.at + failure.backOff.window;
    if (until <= this.ports.clock.monotonic()) return;
    const message = `Back-off pulling image "${name}"`;
    this.ports.events.pod(pod, "Normal", "BackOff", message, container.name);
    throw new ImageError("ImagePullBackOff", `${message}: ErrImagePull: ${failure.message}`, until);
  }

  async #pull(pod: Pod, container: Container, name: string, handler: string, signal: AbortSignal): Promise<Image> {
    const { clock, events, runtime } = this.ports;
    const key = `${pod.metadata.uid}_${name}`;
    const asked = clock.monotonic();
    try {
      events.pod(pod, "Normal", "Pulling", `Pulling image "${name}"`, container.name);
      let began = asked;
      const credentials = await pullCredentials(this.ports, pod, name, signal);
      await this.#pulls.join(pullKey(name, credentials, handler), signal, (stop) =>
        this.#slots.run(() => {
          stop.throwIfAborted();
          began = clock.monotonic();
          return pullWith(credentials, (one) => runtime.pullImage(name, stop, one, handler));
        }),
      );
      this.#failures.delete(key);
      const image = await runtime.imageStatus(name, handler);
      if (image === undefined) throw new RuntimeError("not-found", `image "${name}" is not there after its pull`);
      const now = clock.monotonic();
      const text = `Successfully pulled image "${name}" in ${shortTime(now - began)} (${shortTime(now - asked)} including waiting). Image size: ${image.size} bytes.`;
      events.pod(pod, "Normal", "Pulled", text, container.name);
      return image;
    } catch (error) {
      if (signal.aborted || isRuntimeError(error, "unavailable")) throw error;
      const message = errorText(error);
      const now = clock.monotonic();
      const before = this.#failures.get(key);
      this.#failures.set(key, { backOff: nextBackOff(before?.backOff, before?.at ?? now, now), at: now, message });
      events.pod(pod, "Warning", "Failed", `Failed to pull image "${name}": ${message}`, container.name);
      throw new ImageError("ErrImagePull", message, now);
    }
  }

  /** Waiting does not bring the image; the runtime's message says what to do. */
  async #cannotPull(pod: Pod, container: Container, name: string, signal: AbortSignal): Promise<never> {
    const message = await this.ports.runtime.pullImage(name, signal).then(
      () => `Container image "${name}" is not present and cannot be pulled`,
      (error: unknown) => errorText(error),
    );
    this.ports.events.pod(pod, "Warning", "ErrImageNeverPull", message, container.name);
    throw new ImageError("ErrImageNeverPull", message, this.ports.clock.monotonic() + RETRY);
  }
}

/** Milliseconds as Go prints a short duration. */
function shortTime(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)}ms`
    : `${(milliseconds / 1000).toFixed(3).replace(/\.?0+$/, "")}s`;
}

// Concurrent pulls of one image share one pull. It is cancelled when its last caller leaves.

interface Pull {
  readonly result: Promise<string>;
  readonly stop: AbortController;
  waiting: number;
}

class SharedPulls {
  readonly #pulls = new Map<string, Pull>();

  /** Rejects with the signal's reason as soon as it aborts; the pull continues for the other callers. */
  async join(name: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<string>): Promise<string> {
    signal.throwIfAborted();
    const pull = this.#pulls.get(name) ?? this.#start(name, start);
    pull.waiting += 1;
    try {
      return await unlessAborted(signal, pull.result);
    } finally {
      pull.waiting -= 1;
      if (pull.waiting === 0) {
        pull.stop.abort(new Error(`no pod waits for image ${name}`));
        // Later callers must not join a pull that is being cancelled.
        if (this.#pulls.get(name) === pull) this.#pulls.delete(name);
      }
    }
  }

  #start(name: string, start: (signal: AbortSignal) => Promise<string>): Pull {
    const stop = new AbortController();
    const result = start(stop.signal);
    const pull = { result, stop, waiting: 0 };
    this.#pulls.set(name, pull);
    const over = (): void => {
      if (this.#pulls.get(name) === pull) this.#pulls.delete(name);
    };
    result.then(over, over);
    return pull;
  }
}
