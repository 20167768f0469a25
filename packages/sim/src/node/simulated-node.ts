import { join } from "node:path";
import { type Agent, type AgentApi, type AgentConfig, type AgentOptions, startAgent } from "@hooklet/core/host";
import { type VolumeCalls, volumeCallsHere } from "@hooklet/core/internal";
import { disk } from "@hooklet/linux";
import { during, type VirtualClock } from "../clock/virtual-clock.js";
import type { SimulatedHost } from "../machine/simulated-host.js";
import type { SimulatedRuntime } from "../runtime/simulated-runtime.js";

export interface SimulatedNodeParts extends Pick<AgentOptions, "sources" | "log" | "httpGet" | "world"> {
  readonly clock: VirtualClock;
  readonly runtime: SimulatedRuntime;
  readonly host: SimulatedHost;
  /** This node's alone. */
  readonly rootDir: string;
  /** Asked for each agent that starts; the root dir is the node's. */
  config(): Omit<AgentConfig, "rootDir" | "socket">;
  /** What of volumes lies outside of the root dir, where it is not the machine's own. */
  readonly volumeCalls?: Partial<VolumeCalls>;
  /** Called as soon as an agent has started, before anything else happens. */
  started?(api: AgentApi): void;
}

/** A machine in virtual time, and the agent on it, which comes and goes: the whole core, on simulated containers. */
export class SimulatedNode {
  readonly clock: VirtualClock;
  readonly runtime: SimulatedRuntime;
  readonly host: SimulatedHost;
  readonly rootDir: string;
  /** They count on over restarts: no uid is given twice. */
  #uids = 0;
  #agent: Agent | undefined;
  readonly #parts: SimulatedNodeParts;

  constructor(parts: SimulatedNodeParts) {
    this.#parts = parts;
    const { clock, runtime, host, rootDir } = parts;
    this.clock = clock;
    this.runtime = runtime;
    this.host = host;
    this.rootDir = rootDir;
  }

  /** @throws Error while none runs */
  get agent(): Agent {
    if (this.#agent === undefined) throw new Error("the agent does not run: it was stopped, or is just restarting");
    return this.#agent;
  }

  get api(): AgentApi {
    return this.agent.api;
  }

  /** Starts an agent. */
  async start(): Promise<void> {
    const { clock, runtime, host, rootDir } = this;
    const { sources, log, httpGet, world, volumeCalls } = this.#parts;
    const memoryDir = join(rootDir, "memory");
    await disk.mkdir(memoryDir, { recursive: true, mode: 0o700 });
    const starting = startAgent({
      config: { ...this.#parts.config(), rootDir, socket: join(rootDir, "hooklet.sock") },
      version: "simulated",
      clock,
      log,
      runtime,
      host,
      ...(world && { world }),
      // One process alone: virtual time has no other agents to keep out.
      lock: async () => ({ release: async () => {} }),
      sources,
      ids: { uid: () => `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, "0")}` },
      httpGet: httpGet ?? (async () => ({ statusCode: 200 })),
      // A subprocess would answer outside of virtual time.
      volumeCalls: {
        ...volumeCallsHere,
        mountsMemory: false,
        memoryDir,
        mountAllowed: async ({ source }) => source.path,
        ...volumeCalls,
      },
    });
    this.#agent = await during(clock, "The start of the agent", starting);
    this.#parts.started?.(this.api);
    await clock.settle();
  }

  /** The agent goes and another one comes; containers live on, and `meanwhile` happens without an agent. */
  async restart(meanwhile: () => Promise<void> | void = () => {}): Promise<void> {
    await this.#stopAgent();
    await meanwhile();
    await this.start();
  }

  /** Stops the agent; containers live on. May be called twice. */
  async stop(): Promise<void> {
    await this.#stopAgent();
  }

  async #stopAgent(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent !== undefined) await during(this.clock, "The stop of the agent", agent.stop());
  }
}
