/**
 * A whole agent in virtual time on simulated containers, for tests of the core. Beside the test kit's `startTestAgent`: here the lock
 * of the root dir, the host and the ids are the real ones, the agent's options can be had, and a start may fail and be tried again.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Pod, readManifest, staticPod } from "@hooklet/manifest";
import { volumeCallsHere } from "@hooklet/volumes";
import { afterEach } from "@jest/globals";
import { pino } from "pino";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { SimulatedRuntime } from "../../../sim/src/runtime/simulated-runtime.js";
import { testConfig } from "../../../testkit/src/test-agent/test-agent.js";
import { type Agent, type AgentOptions, startAgent } from "../../src/agent/agent.js";
import type { AgentConfig } from "../../src/config/agent-config.js";
import type { LoadedPlugin } from "../../src/plugin/loaded.js";
import type { PodStatus } from "../../src/pod/status/status-types.js";
import type { PodSource, SourceSink } from "../../src/sources/port.js";

const running: TestNode[] = [];

afterEach(async () => {
  for (const node of running.splice(0)) await node.remove();
});

export interface NodeParts {
  readonly plugins?: readonly LoadedPlugin[];
  readonly node?: Partial<AgentConfig["node"]>;
  /** Beside the folder of static pods. */
  readonly sources?: (clock: VirtualClock) => readonly PodSource[];
}

/** Agents may follow each other on the same node: clock, containers and files stay. */
export class TestNode {
  readonly clock = new VirtualClock();
  readonly runtime = new SimulatedRuntime({ clock: this.clock });
  readonly rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-node-"));
  #manifests = new Map<string, string>();
  #sink: SourceSink | undefined;
  #agent: Agent | undefined;

  constructor(private readonly parts: NodeParts = {}) {
    running.push(this);
  }

  get agent(): Agent {
    if (this.#agent === undefined) throw new Error("the agent does not run");
    return this.#agent;
  }

  async start(): Promise<this> {
    const starting = startAgent(this.options());
    // A start that fails is reported to the caller below.
    starting.catch(() => undefined);
    await this.clock.settle();
    this.#agent = await starting;
    await this.clock.settle();
    return this;
  }

  options(): AgentOptions {
    return {
      config: {
        ...testConfig({
          node: { clusterDomain: "", ...this.parts.node },
          plugins: this.parts.plugins ?? [],
          runtime: this.runtime,
        }),
        rootDir: this.rootDir,
        socket: path.join(this.rootDir, "hooklet.sock"),
      },
      version: "0.0.0-test",
      clock: this.clock,
      log: pino({ level: "silent" }),
      runtime: this.runtime,
      sources: [this.#source(), ...(this.parts.sources?.(this.clock) ?? [])],
      httpGet: async () => ({ statusCode: 200 }),
      volumeCalls: { ...volumeCallsHere, mountAllowed: async ({ source }) => source.path },
    };
  }

  /** The agent goes, the containers stay. */
  async stop(): Promise<void> {
    const stopping = this.#agent?.stop();
    this.#agent = undefined;
    await this.clock.settle();
    await stopping;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.rootDir, { recursive: true, force: true });
  }

  /** Puts a manifest into the folder of static pods, or takes it away. */
  async manifest(name: string, text: string | undefined): Promise<void> {
    if (text === undefined) this.#manifests.delete(name);
    else this.#manifests.set(name, text);
    await this.#deliver();
    await this.clock.settle();
  }

  /** Takes all manifests out of the folder at once, with or without an agent. */
  async withoutManifests(): Promise<void> {
    this.#manifests.clear();
    await this.#deliver();
    await this.clock.settle();
  }

  pod(name: string): Pod {
    return this.agent.api.pod({ name });
  }

  status(name: string): PodStatus {
    return this.pod(name).status as unknown as PodStatus;
  }

  /** `reason: message` of all events, oldest first. */
  events(): readonly string[] {
    return this.agent.api.events().map(({ reason, message }) => `${reason}: ${message}`);
  }

  #source(): PodSource {
    return {
      name: "file",
      start: async (sink) => {
        this.#sink = sink;
        await this.#deliver();
      },
      stop: async () => {},
    };
  }

  async #deliver(): Promise<void> {
    const pods = await Promise.all(
      [...this.#manifests].map(([name, text]) =>
        readManifest(text, name, (pod) =>
          staticPod(pod, { source: "file", where: `/manifests/${name}`, nodeName: "node1", seen: this.clock.now() }),
        ),
      ),
    );
    this.#sink?.desired(pods.flat());
  }
}
