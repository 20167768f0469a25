import { createHash } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namespacedName, type Pod } from "@hooklet/core";
import { type AgentApi, type AgentConfig, type AgentOptions, defineRuntime, type PodSource } from "@hooklet/core/host";
import {
  apiPod,
  type LoadedPlugin,
  type NodeConfig,
  rcSchema,
  readManifest,
  type SeamBinding,
} from "@hooklet/core/internal";
import { removeTree } from "@hooklet/linux";
import { SimulatedHost, SimulatedNode, SimulatedRuntime, SimulatedSource, VirtualClock } from "@hooklet/sim";
import { pino } from "pino";
import { z } from "zod";

/** Options of the node as the rc file has them, where a test wants others. */
export type TestNodeOptions = Partial<NodeConfig>;

/** The node of tests, the same on every machine: node1 with 4 cores, 8 GiB, 100 GiB of disk and 110 pods. */
function testNodeConfig({ capacity, ...others }: TestNodeOptions): NodeConfig {
  const node = rcSchema.shape.node.parse({
    name: "node1",
    ip: "192.0.2.10",
    evictionHard: {},
    clusterDNS: ["10.0.0.53"],
    clusterDomain: "cluster.local",
    ...others,
    capacity: { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", ...capacity },
  });
  return node as NodeConfig;
}

interface TestConfigParts {
  readonly node: TestNodeOptions;
  readonly plugins: readonly LoadedPlugin[];
  readonly runtime: SimulatedRuntime;
}

/** A configuration without HTTP port and manifest folder. */
export function testConfig({ node, plugins, runtime }: TestConfigParts): Omit<AgentConfig, "rootDir" | "socket"> {
  const factory = defineRuntime({
    meta: { name: "simulated", api: 1 },
    options: z.strictObject({}),
    create: () => runtime,
  });
  return {
    port: 0,
    readOnlyPort: 0,
    readOnlySocket: null,
    node: testNodeConfig(node),
    sources: {
      manifests: null,
      manifestUrl: null,
      manifestUrlHeader: {},
      fileCheckFrequency: 20,
      httpCheckFrequency: 20,
      objects: ["manifests", "manifestUrl", "others"],
    },
    runtime: { factory, options: {}, specifier: "simulated" },
    plugins,
    effective: [],
  };
}

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
  /** What plugins find at their seams, made by `bindSeam`; default the real world. */
  readonly world?: readonly SeamBinding[];
}

/** A line of the agent's log. */
export interface LogLine {
  /** pino's: 30 info, 40 warn, 50 error. */
  readonly level: number;
  readonly msg: string;
  /** The plugin that logged it. */
  readonly plugin?: string;
  /** The strategy that threw, or whose answer was not used. */
  readonly strategy?: string;
  /** What was raised: of a tap, with its hook. */
  readonly err?: { readonly message: string; readonly plugin?: string; readonly hook?: string };
}

/** Milliseconds of virtual time that `waitFor` waits. */
const PATIENCE = 600_000;

/** The whole core on simulated containers in virtual time; `startTestAgent` makes it. */
export class TestAgent extends SimulatedNode {
  /** All that the agents of this node logged. */
  readonly log: readonly LogLine[];
  readonly #source: SimulatedSource;

  private constructor(
    rootDir: string,
    readonly parts: TestAgentParts,
  ) {
    const { clock = new VirtualClock(), sources = [], httpGet, world } = parts;
    const runtime = parts.runtime ?? new SimulatedRuntime({ clock, writeLogs: true });
    const source = new SimulatedSource({ name: "test", uidOf: distinctUids() });
    const log: LogLine[] = [];
    super({
      clock,
      runtime,
      host: parts.host ?? new SimulatedHost({ clock }),
      rootDir,
      config: () => testConfig({ node: parts.node ?? {}, plugins: parts.plugins ?? [], runtime }),
      sources: [source, ...sources],
      log: pino({ level: "info" }, { write: (line: string) => void log.push(JSON.parse(line) as LogLine) }),
      ...(httpGet && { httpGet }),
      ...(world && { world }),
    });
    this.log = log;
    this.#source = source;
  }

  /** A node without an agent yet. */
  static async make(parts: TestAgentParts): Promise<TestAgent> {
    return new TestAgent(parts.rootDir ?? (await mkdtemp(join(tmpdir(), "hooklet-agent-"))), parts);
  }

  /** Applies a ready pod (`aPod`), or all pods of a manifest in YAML or JSON. @throws ManifestError */
  async apply(pod: Pod | string): Promise<void> {
    const pods = typeof pod === "string" ? await this.#read(pod) : [pod];
    for (const one of pods) this.#source.apply(one);
    await this.clock.settle();
  }

  /** Takes an applied pod away; it stays listed until its containers are gone. */
  async delete(name: string, namespace = "default"): Promise<void> {
    this.#source.delete(namespacedName({ namespace, name }));
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

  /** Stops the agent and removes what the test left on disk. May be called twice. */
  override async stop(): Promise<void> {
    await super.stop();
    if (this.parts.rootDir === undefined) await removeTree(this.rootDir);
  }

  #read(text: string): Promise<readonly Pod[]> {
    const identify = (manifest: Parameters<typeof apiPod>[0]): Pod => {
      const { namespace = "default", name = "" } = manifest.metadata ?? {};
      const uid = digest(namespacedName({ namespace, name }));
      return apiPod(manifest, { nodeName: this.parts.node?.name ?? "node1", seen: this.clock.now(), uid });
    };
    return readManifest(text, "the test", identify, this.#source.provided);
  }
}

/** The pod's own uid, as long as no other pod has had it. */
function distinctUids(): (pod: Pod) => string {
  const used = new Set<string>();
  return ({ metadata: { uid } }) => {
    const own = used.has(uid) ? digest(`${uid}/${used.size}`) : uid;
    used.add(own);
    return own;
  };
}

function digest(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
