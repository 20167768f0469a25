import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "@hooklet/core";
import {
  type Agent,
  type AgentApi,
  type AgentOptions,
  type IdSource,
  type LoadedPlugin,
  type PodSource,
  removeTree,
  startAgent,
  volumeCallsHere,
} from "@hooklet/core/host";
import { pino } from "pino";
import { during } from "../during.js";
import { SimulatedHost } from "../host/simulated-host.js";
import { SimulatedRuntime } from "../simulated-runtime.js";
import type { TestNodeOptions } from "../test-node.js";
import { VirtualClock } from "../virtual-clock.js";
import { testConfig } from "./config.js";
import { TestSource } from "./test-source.js";

type Events = ReturnType<AgentApi["events"]>;

export interface TestAgentParts {
  readonly plugins?: readonly LoadedPlugin[];
  readonly clock?: VirtualClock;
  readonly runtime?: SimulatedRuntime;
  /** Default: 4 processors, 8 GiB, cgroups v2. */
  readonly host?: SimulatedHost;
  /** Default: a fresh directory, removed at the end. */
  readonly rootDir?: string;
  /** What differs from the test node: node1 with 4 cores, 8 GiB, 100 GiB of disk and 110 pods. */
  readonly node?: TestNodeOptions;
  /** Beside the test's own source, which `apply` fills. */
  readonly sources?: readonly PodSource[];
  /** Answers HTTP lifecycle hooks; default 200. */
  readonly httpGet?: NonNullable<AgentOptions["httpGet"]>;
}

/** A line of the agent's log. */
export interface LogLine {
  /** pino's: 30 info, 40 warn, 50 error. */
  readonly level: number;
  readonly msg: string;
}

/** Milliseconds of virtual time that `waitFor` waits. */
const PATIENCE = 600_000;

/** The whole core on simulated containers in virtual time; `startTestAgent` makes it. */
export class TestAgent {
  /** All that the agents of this node logged. */
  readonly log: LogLine[] = [];
  readonly #source: TestSource;
  /** They count on over restarts: no uid is given twice. */
  readonly #ids = countingIds();
  readonly #ownsRootDir: boolean;
  #agent: Agent | undefined;

  private constructor(
    readonly clock: VirtualClock,
    readonly runtime: SimulatedRuntime,
    readonly host: SimulatedHost,
    readonly rootDir: string,
    readonly parts: TestAgentParts,
  ) {
    this.#source = new TestSource(clock, parts.node?.name ?? "node1");
    this.#ownsRootDir = parts.rootDir === undefined;
  }

  /** A node without an agent yet. */
  static async make(parts: TestAgentParts): Promise<TestAgent> {
    const clock = parts.clock ?? new VirtualClock();
    const rootDir = parts.rootDir ?? (await mkdtemp(join(tmpdir(), "hooklet-agent-")));
    const runtime = parts.runtime ?? new SimulatedRuntime({ clock, writeLogs: true });
    const host = parts.host ?? new SimulatedHost({ clock });
    return new TestAgent(clock, runtime, host, rootDir, parts);
  }

  get agent(): Agent {
    if (this.#agent === undefined)
      throw new Error("The test agent does not run: it was stopped, or is just restarting.");
    return this.#agent;
  }

  get api(): AgentApi {
    return this.agent.api;
  }

  /** Starts an agent on the node. */
  async start(): Promise<void> {
    const { plugins = [], node = {}, httpGet = async () => ({ statusCode: 200 }) } = this.parts;
    const { clock, runtime, host, rootDir } = this;
    const write = (line: string): void => void this.log.push(JSON.parse(line) as LogLine);
    const starting = startAgent({
      config: testConfig({ rootDir, node, plugins, runtime }),
      version: "0.0.0-test",
      clock,
      log: pino({ level: "info" }, { write }),
      runtime,
      host,
      // One process alone: virtual time has no other agents to keep out.
      lock: async () => ({ release: async () => {} }),
      sources: [this.#source, ...(this.parts.sources ?? [])],
      ids: this.#ids,
      httpGet,
      // A process of its own would answer outside of virtual time.
      volumeCalls: { ...volumeCallsHere, mountsMemory: false, mountAllowed: async ({ source }) => source.path },
    });
    this.#agent = await during(clock, "The start of the agent", starting);
    await clock.settle();
  }

  /** Applies a ready pod (`aPod`), or all pods of a manifest in YAML or JSON. @throws ManifestError */
  async apply(pod: Pod | string): Promise<void> {
    await this.#source.apply(pod);
    await this.clock.settle();
  }

  /** Takes an applied pod away; it stays listed until its containers are gone. */
  async delete(name: string, namespace = "default"): Promise<void> {
    this.#source.delete(namespace, name);
    await this.clock.settle();
  }

  advance(milliseconds: number): Promise<void> {
    return this.clock.advance(milliseconds);
  }

  /** Lets time pass until `predicate` holds, for at most ten minutes or `limit` milliseconds. */
  async waitFor(predicate: () => boolean, limit = PATIENCE): Promise<void> {
    if (await this.clock.advanceUntil(predicate, limit)) return;
    const pods = this.api.pods().map(({ metadata, status }) => `  ${metadata.name} ${JSON.stringify(status)}`);
    const events = this.events().map(({ reason, message }) => `  ${reason}: ${message}`);
    const lines = ["Pods:", ...pods, "Events:", ...events.slice(-20)];
    throw new Error(`Waited ${limit} ms of virtual time in vain for ${predicate}\n${lines.join("\n")}`);
  }

  /** A pod with its status. @throws NodeAgentError NOT_FOUND */
  pod(name: string, namespace = "default"): Pod {
    return this.api.pod({ name, namespace });
  }

  /** Events as v1 Events, oldest first. */
  events(): Events {
    return this.api.events();
  }

  /** Log lines of level error, as text. */
  problems(): readonly string[] {
    return this.log.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  }

  /** The agent goes and another one comes; containers live on, and `meanwhile` happens without an agent. */
  async restart(meanwhile: () => Promise<void> | void = () => {}): Promise<void> {
    await this.#stopAgent();
    await meanwhile();
    await this.start();
  }

  /** Stops the agent and removes what the test left on disk. May be called twice. */
  async stop(): Promise<void> {
    await this.#stopAgent();
    if (this.#ownsRootDir) await removeTree(this.rootDir);
  }

  async #stopAgent(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent !== undefined) await during(this.clock, "The stop of the agent", agent.stop());
  }
}

/** The same uids for the same calls. */
function countingIds(): IdSource {
  let count = 0;
  return { uid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}` };
}
