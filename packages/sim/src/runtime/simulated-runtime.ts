import type { ContainerConfig } from "@hooklet/core/host";
import type { ContainerStats, LinuxContainerResources } from "@hooklet/core/subsystem";
import type { SimulatedImage, SimulatedImageFs } from "./images.js";
import type { RuntimeOperation } from "./operations.js";
import type { Exit, SimulatedProgram } from "./process.js";
import type { ExecTarget, SimulatedExecResult, Target } from "./scripts.js";
import { SimulatedPort } from "./simulated-port.js";

/**
 * A node's containers in virtual time: the runtime port, and what a test says about it: what containers do, what
 * fails, how long calls take. Ids and times depend on nothing but the calls. It outlives agents: after `close()` the
 * same object can be handed to the next one. Pods are named by name or uid; of containers the newest attempt is meant.
 */
export class SimulatedRuntime extends SimulatedPort {
  /** What containers do that start from now on. The script that was set last and matches counts. */
  script(target: Target, program: SimulatedProgram): void {
    this.scripts.container(target, program);
  }

  /** Ends a running container now. @throws Error when it does not run */
  exit(pod: string, container: string, code: number, how: Omit<Exit, "code"> = {}): void {
    const record = this.state.newest(pod, container);
    if (record.process === undefined) {
      throw new Error(`Container ${container} of pod ${pod} does not run, so it cannot exit. Advance the clock first?`);
    }
    record.process.exit(code, how);
  }

  /** What commands in containers give from now on. Without a script a command succeeds with no output. */
  execResult(target: ExecTarget, result: SimulatedExecResult | SimulatedProgram): void {
    this.scripts.exec(target, result);
  }

  /** The pod's newest sandbox dies with all its containers, as on a crash of the runtime's shim. */
  loseSandbox(pod: string): void {
    this.state.stopSandbox(this.state.newestSandbox(pod).id);
  }

  /** Makes every call of this operation take so long; `Infinity` never returns, 0 ends the delay. */
  delay(operation: RuntimeOperation, milliseconds: number): void {
    this.operations.delay(operation, milliseconds);
  }

  /** Lets the next calls of this operation fail. A text becomes a `RuntimeError` of code `unknown`. */
  failNext(operation: RuntimeOperation, error: Error | string, times = 1): void {
    this.operations.failNext(operation, error, times);
  }

  /** The next events get lost, as when a stream breaks. */
  dropEvents(count: number): void {
    this.eventsToDrop = count;
  }

  /** What `health()` says from now on; undefined = well. */
  setHealth(illness: string | undefined): void {
    this.illness = illness;
  }

  /** Puts an image on the node. Returns its id. */
  addImage(image: SimulatedImage): string {
    return this.images.add(image);
  }

  /** Sets what a pull of the image's names brings; other names bring an image of 64 MiB. */
  publishImage(image: SimulatedImage): void {
    this.images.publish(image);
  }

  setImageFs(fileSystem: SimulatedImageFs): void {
    this.images.setFileSystem(fileSystem);
  }

  setStats(pod: string, container: string, stats: Omit<ContainerStats, "id" | "labels">): void {
    this.state.newest(pod, container).stats = stats;
  }

  /** How often each operation was called. */
  get calls(): Readonly<Record<RuntimeOperation, number>> {
    return this.operations.calls;
  }

  /** Number of calls that change something: everything but lists, status and statistics. */
  get writes(): number {
    return this.operations.writes;
  }

  /** Bytes of all images on the node. */
  imageBytes(): number {
    return this.images.bytes();
  }

  /** The id of the newest container of this name. @throws Error naming what there is */
  idOf(pod: string, container: string): string {
    return this.state.newest(pod, container).id;
  }

  /** With what the container was created. */
  configOf(pod: string, container: string): ContainerConfig {
    return this.state.newest(pod, container).config;
  }

  /** The container's cgroup values: those of its creation and what updates changed. */
  resourcesOf(pod: string, container: string): LinuxContainerResources {
    return this.state.newest(pod, container).resources;
  }

  /** All that the container wrote, both streams. */
  outputOf(pod: string, container: string): string {
    return this.state.newest(pod, container).output;
  }

  /** Names of the pod's running containers. */
  running(pod: string): readonly string[] {
    return this.state
      .containersOf(pod)
      .filter((container) => container.process !== undefined)
      .map((container) => container.config.metadata.name);
  }
}
