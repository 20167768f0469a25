import { type Clock, invalid, pluginStart, withDeadline } from "@hooklet/utils";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Collected, CollectOptions, MetricOptions, Metrics, Sample } from "./contract.js";

const DEFAULT_PATH = "/metrics";
const PATH = /^\/metrics(\/[a-z0-9][a-z0-9_-]{0,62}){0,3}$/;
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** How the kubelet's own metrics begin. */
const KUBELETS =
  /^(?:kubelet|container|pod|node|machine|kubernetes|rest_client|cadvisor|volume|storage|prober)_|^(?:resource_)?scrape_error$/;

/** hooklet's own plugins keep to the kubelet's list, which a test holds. */
function isOwnName(owner: string, name: string): boolean {
  if (owner === "core" || owner.startsWith("@hooklet/") || KUBELETS.test(name)) return true;
  return prefixesOf(owner).some((prefix) => name.startsWith(prefix));
}

/** `team_env_` of `@shop/hooklet-plugin-team-env`, and that of the whole name. */
function prefixesOf(owner: string): readonly string[] {
  const short = owner.replace(/^@[^/]*\//, "").replace(/^hooklet-(?:plugin-)?/, "");
  return [short, owner.replace(/^@/, "")].map((text) => `${text.replace(/[^a-zA-Z0-9]+/g, "_")}_`);
}

/** The metrics of core and plugins: one prom-client registry per HTTP path. */
export class MetricRegistries {
  readonly #registries = new Map([[DEFAULT_PATH, new Registry()]]);
  readonly #owners = new Map<string, string>();
  /** `path name` of every metric. */
  readonly #places = new Set<string>();
  readonly #collectors: Collector[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly report: (where: string, error: unknown) => void,
  ) {}

  /** `/metrics`, and the paths of plugins. */
  paths(): readonly string[] {
    return [...this.#registries.keys()].sort();
  }

  /** The metrics of the path, in Prometheus' text format; undefined when there are none. */
  async render(path: string): Promise<{ readonly contentType: string; readonly body: string } | undefined> {
    const registry = this.#registries.get(path);
    if (registry === undefined) return undefined;
    const collected = this.#collectors
      .filter((collector) => collector.path === path)
      .map((collector) =>
        collectedText(collector, this.clock).catch((error: unknown) => {
          this.report(`metrics of ${collector.owner}`, error);
          return "";
        }),
      );
    // An empty registry is a line break to prom-client.
    const own = (await registry.metrics()).replace(/^\n$/, "");
    return { contentType: registry.contentType, body: [own, ...(await Promise.all(collected))].join("") };
  }

  /**
   * Metrics under the name of `owner`, a plugin or the core.
   * @throws NodeAgentError PLUGIN_START when a metric of this name exists, INVALID for a bad name or path
   */
  forOwner(owner: string): Metrics {
    const base = (options: MetricOptions) => {
      const { name, help, labels = [], path = DEFAULT_PATH } = options;
      if (!NAME.test(name)) throw invalid("name of a metric", "letters, digits, _ and :", name);
      if (typeof help !== "string" || help === "") throw invalid(`help of metric ${name}`, "a sentence", help);
      if (!PATH.test(path)) throw invalid(`path of metric ${name}`, "/metrics or a path below it", path);
      // Its owner may show it on two pages, as a kubelet does with container_cpu_usage_seconds_total.
      const first = this.#owners.get(name);
      if (first !== undefined && (first !== owner || this.#places.has(`${path} ${name}`))) {
        throw pluginStart(owner, `metric ${name} exists already, made by "${first}". Choose another name.`);
      }
      if (!isOwnName(owner, name)) {
        const [prefix = ""] = prefixesOf(owner);
        throw pluginStart(owner, `its metric ${name} does not begin with ${prefix}. Call it ${prefix}${name}.`);
      }
      const registry = this.#registries.get(path) ?? new Registry();
      return { config: { name, help, labelNames: [...labels], registers: [registry] }, registry, path };
    };
    const made = <Metric>(
      options: MetricOptions,
      make: (config: ReturnType<typeof base>["config"]) => Metric,
    ): Metric => {
      const { config, registry, path } = base(options);
      const metric = make(config);
      this.#owners.set(options.name, owner);
      this.#places.add(`${path} ${options.name}`);
      this.#registries.set(path, registry);
      return metric;
    };
    return {
      collect: (families, read) => {
        const [first] = families;
        if (first === undefined) throw invalid("collect", "at least one family", families);
        const { path } = base(first);
        for (const family of families) {
          if ((family.path ?? DEFAULT_PATH) !== path) throw invalid(`path of metric ${family.name}`, path, family.path);
          const { registry } = base(family);
          this.#owners.set(family.name, owner);
          this.#places.add(`${path} ${family.name}`);
          this.#registries.set(path, registry);
        }
        this.#collectors.push({ owner, path, families, read });
      },
      counter: (options) => {
        const counter = made(options, (config) => new Counter(config));
        return {
          inc: (labels = {}, by = 1) => counter.inc(labels, by),
          remove: (labels) => counter.remove(labels),
        };
      },
      gauge: (options) => {
        const gauge = made(options, (config) => new Gauge(config));
        return {
          set: (value, labels = {}) => gauge.set(labels, value),
          remove: (labels) => gauge.remove(labels),
        };
      },
      histogram: (options) => {
        const buckets = options.buckets === undefined ? {} : { buckets: [...options.buckets] };
        const histogram = made(options, (config) => new Histogram({ ...config, ...buckets }));
        return {
          observe: (value, labels = {}) => histogram.observe(labels, value),
          remove: (labels) => histogram.remove(labels),
        };
      },
    };
  }
}

// Families that are read at the scrape, in Prometheus' text format; prom-client has no samples with timestamps.

const DEADLINE_MILLISECONDS = 10_000;

interface Collector {
  readonly owner: string;
  readonly path: string;
  readonly families: readonly CollectOptions[];
  read(): Collected | Promise<Collected>;
}

/** The text of one collector's families; families without samples are left out. Rejects when the reading fails or takes too long. */
export async function collectedText({ families, read, owner }: Collector, clock: Clock): Promise<string> {
  const late = (): Error => new Error(`metrics of ${owner}: no reading within ${DEADLINE_MILLISECONDS / 1000} s`);
  const collected = await withDeadline(clock, DEADLINE_MILLISECONDS, (async () => read())(), late);
  return families.map((family) => familyText(family, collected[family.name] ?? [])).join("");
}

function familyText({ name, help, type }: CollectOptions, samples: Iterable<Sample>): string {
  let lines = "";
  for (const sample of samples)
    lines += `${name}${sample.suffix ?? ""}${labelText(sample.labels)} ${numberText(sample.value)}${timeText(sample)}\n`;
  return lines === "" ? "" : `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines}`;
}

function labelText(labels: Sample["labels"]): string {
  if (labels === undefined) return "";
  let text = "";
  for (const name in labels) text += `${text === "" ? "{" : ","}${name}="${escapeValue(labels[name] ?? "")}"`;
  return text === "" ? "" : `${text}}`;
}

function timeText({ timestamp }: Sample): string {
  return timestamp === undefined ? "" : ` ${Math.trunc(timestamp)}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}

function escapeValue(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
