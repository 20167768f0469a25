/** The same scenario in real time: a real agent does to real containers what the timeline says; what it tells of each pod. */
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AgentClient } from "@hooklet/cli/client";
import { parse, stringify } from "yaml";
import { parseSeconds } from "../../../packages/simulate/src/values/seconds.js";
import { root } from "../../sources.js";
import { until, Workplace } from "../../support/agent.js";
import { PluginProcess } from "../../support/device-node.js";
import type { RealRuntime } from "../../support/runtimes.js";
import {
  type DecisionSeen,
  decisionText,
  endText,
  eventText,
  type PodTold,
  type Told,
  withoutRepeats,
} from "./events-as-text.js";
import { stateText } from "./simulated.js";

interface Step {
  readonly at: string | number;
  readonly apply?: object | readonly object[];
  readonly delete?: string | readonly string[];
  readonly deleteObject?: { readonly kind: "ConfigMap" | "Secret"; readonly name: string };
  readonly agent?: "restart";
  readonly device?: { readonly resource: string; readonly id: string; readonly health: string };
}

/** Actions that are done here, and those that containers do by themselves. */
const DONE = ["apply", "delete", "deleteObject", "agent", "device"];
const BY_THEMSELVES = ["exit", "onTerm", "probe", "usage"];
const PARTS = ["node", "config", "images", "devices", "timeline", "until", "expect"];
const OF_NODE = ["cpu", "memory", "labels"];

export interface Scenario {
  readonly node: {
    readonly cpu?: string;
    readonly memory?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly config?: { readonly node?: object; readonly plugins?: readonly (string | readonly [string, object])[] };
  readonly devices?: Readonly<Record<string, readonly { readonly id: string; readonly numa?: number }[]>>;
  readonly timeline: readonly Step[];
  readonly until: string | number;
}

/** What the simulated node has where nothing else is said. */
const SAME = { name: "node1", clusterDNS: ["192.0.2.53"], clusterDomain: "cluster.local" };

const seconds = (time: string | number): number => (typeof time === "number" ? time : (parseSeconds(time) ?? 0));

/** A busy machine is slower than the timeline: seconds after its end until what is expected has to be reported. */
const PATIENCE = 60;

/** @param expected looked for from the timeline's end on, for a while: order is compared, not speed */
export async function inRealTime(file: string, runtime: RealRuntime, expected: Told): Promise<Told> {
  const scenario = parse(readFileSync(file, "utf8")) as Scenario;
  refuseUnknown(scenario);
  const node = await RealNode.create(scenario, runtime);
  try {
    await node.play();
    const end = performance.now() + PATIENCE * 1000;
    let recorded = await node.recorded();
    while (!isDeepStrictEqual(recorded, expected) && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      recorded = await node.recorded();
    }
    return recorded;
  } finally {
    await node.remove();
  }
}

/** @throws Error naming what would be simulated and not be done here: the two runs would not be of the same */
export function refuseUnknown(scenario: Scenario): void {
  const unless = (known: readonly string[], found: object, where: string): void => {
    const unknown = Object.keys(found).find((key) => !known.includes(key));
    if (unknown !== undefined) throw new Error(`${where}${unknown}: expected one of ${known.join(", ")}`);
  };
  unless(PARTS, scenario, "");
  unless(OF_NODE, scenario.node, "node.");
  for (const [index, step] of scenario.timeline.entries()) {
    unless(["at", ...DONE, ...BY_THEMSELVES], step, `timeline[${index}].`);
  }
}

class RealNode {
  readonly #events = new Map<string, string[]>();
  readonly #states = new Map<string, string[]>();
  readonly #ends = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #watching = new AbortController();
  readonly #decisions = new Map<string, string[]>();
  /** Of agents before this one. */
  readonly #earlier = new Map<string, readonly string[]>();
  readonly #plugins = new Map<string, PluginProcess>();
  readonly #client: AgentClient;

  private constructor(
    private readonly scenario: Scenario,
    private readonly place: Workplace,
  ) {
    this.#client = new AgentClient(path.join(place.rootDir, "hooklet.sock"));
  }

  static async create(scenario: Scenario, runtime: RealRuntime): Promise<RealNode> {
    const place = await Workplace.create();
    const { node: machine, config = {} } = scenario;
    const { cpu = "4", memory = "8Gi", labels } = machine;
    const cgroups = ["cgroups", { cgroupRoot: `/hooklet-truth-${path.basename(place.folder).slice(-6)}` }];
    const rc = {
      node: { ...SAME, capacity: { cpu, memory }, ...(labels && { labels }), ...config.node },
      plugins: [cgroups, ...(config.plugins ?? [])],
      runtime: runtime.rc,
    };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    const here = new RealNode(scenario, place);
    try {
      await here.#start();
      await here.#plugIn();
      return here;
    } catch (error) {
      await here.remove();
      throw error;
    }
  }

  /** Each step at its time; what containers do (`exit`, `onTerm`, `probe`, `usage`) they do by themselves. */
  async play(): Promise<void> {
    const began = performance.now();
    const wait = async (at: string | number): Promise<void> => {
      const left = seconds(at) * 1000 - (performance.now() - began);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    };
    for (const step of this.scenario.timeline) {
      await wait(step.at);
      await this.#act(step);
    }
    await wait(this.scenario.until);
  }

  /** Until now. */
  async recorded(): Promise<Told> {
    await this.#note();
    const names = [...new Set([...this.#states.keys(), ...this.#events.keys()])];
    return Object.fromEntries(names.map((name) => [name, this.#podTold(name)]));
  }

  async remove(): Promise<void> {
    this.#watching.abort();
    for (const plugin of this.#plugins.values()) plugin.kill();
    // What watches ends with the agent; a connection is closed once nothing runs on it.
    await this.place.remove();
    await this.#client.close();
  }

  #podTold(name: string): PodTold {
    return {
      events: withoutRepeats(this.#events.get(name) ?? []),
      decisions: withoutRepeats(this.#decisions.get(name) ?? []),
      states: withoutRepeats(this.#states.get(name) ?? []),
      end: this.#ends.get(name) ?? "",
    };
  }

  async #start(): Promise<void> {
    await this.place.start("--config", path.join(this.place.folder, "rc.json"));
    void this.#watchEvents();
    void this.#watchPods();
  }

  async #act({ apply, delete: names, deleteObject, agent, device }: Step): Promise<void> {
    if (apply !== undefined) await this.#apply([apply].flat() as readonly object[]);
    for (const name of [names ?? []].flat()) await this.#client.deletePod({ name }, {});
    if (deleteObject !== undefined)
      await this.#client.deleteObject(deleteObject.kind, { namespace: "default", name: deleteObject.name });
    if (device !== undefined) this.#plugins.get(device.resource)?.type(`${device.id} ${device.health}`);
    if (agent === undefined) return;
    // Decisions are those of one agent's life.
    await this.#note();
    for (const [pod, made] of this.#decisions) this.#earlier.set(pod, made);
    await this.place.stop();
    await this.#start();
  }

  async #apply(pods: readonly object[]): Promise<void> {
    const texts = pods.map((pod) => stringify({ apiVersion: "v1", kind: "Pod", ...pod }));
    await this.#client.apply(texts.join("---\n"), "truth");
  }

  async #watchEvents(): Promise<void> {
    try {
      for await (const event of this.#client.watchEvents({}, this.#watching.signal)) {
        const { involvedObject: about, reason = "", message = "", metadata, count = 1 } = event;
        // The watch begins with what was before it.
        const key = `${metadata.name} ${count}`;
        if (about.kind !== "Pod" || this.#seen.has(key)) continue;
        this.#seen.add(key);
        const container = /\{(.*)\}$/.exec(about.fieldPath ?? "")?.[1];
        listOf(this.#events, `${about.namespace}/${about.name}`).push(eventText({ reason, container, message }));
      }
    } catch (error) {
      this.#ended(error);
    }
  }

  async #watchPods(): Promise<void> {
    try {
      for await (const { object: pod } of this.#client.watchPods(this.#watching.signal)) {
        const { conditions = [], phase = "Pending" } = pod.status ?? {};
        const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
        const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
        const states = listOf(this.#states, name);
        if (phase !== "Pending") states.push(stateText(phase, ready));
        this.#ends.set(name, endText(pod));
      }
    } catch (error) {
      this.#ended(error);
    }
  }

  /** The agent stopped, or we did. */
  #ended(error: unknown): void {
    if ((error as { readonly code?: string }).code === "AGENT_NOT_RUNNING" || this.#watching.signal.aborted) return;
    throw error;
  }

  /** What was decided until now. */
  async #note(): Promise<void> {
    const now = Date.now();
    for (const pod of this.#states.keys()) {
      const found = await within(this.#client.explain("pod", pod), `explain pod ${pod}`);
      // Plugins also tell what holds now: that is no decision.
      const made = found.filter(({ at }) => at < now) as readonly DecisionSeen[];
      this.#decisions.set(pod, [...(this.#earlier.get(pod) ?? []), ...made.map(decisionText)]);
    }
  }

  async #plugIn(): Promise<void> {
    const folder = path.join(this.place.rootDir, "device-plugins");
    for (const [resource, devices] of Object.entries(this.scenario.devices ?? {})) {
      await mkdir(folder, { recursive: true, mode: 0o750 });
      const all = devices.flatMap(({ id, numa }) => ["--device", numa === undefined ? id : `${id},numa=${numa}`]);
      const program = path.join(root, "examples/device-plugin/dist/main.js");
      const plugin = new PluginProcess(process.execPath, [program, "--folder", folder, "--resource", resource, ...all]);
      this.#plugins.set(resource, plugin);
      await plugin.says(`registered ${resource}`);
      await until("its devices are there", async () =>
        (await this.#client.view("devices")).rows.some((row) => row.resource === resource),
      );
    }
  }
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const own = lists.get(key) ?? [];
  lists.set(key, own);
  return own;
}

/** Seconds for an answer. */
const ANSWER = 20;

function within<T>(work: Promise<T>, what: string): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`${what}: no answer within ${ANSWER} s`)), ANSWER * 1000).unref();
  });
  return Promise.race([work, late]);
}
