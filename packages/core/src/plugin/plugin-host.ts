import {
  agentStopping,
  errorText,
  isNodeAgentError,
  notFound,
  pluginStart,
  pluginStop,
  pluginTimeout,
  withDeadline,
} from "@hooklet/utils";
import type { TapReport } from "../hooks/tap-record.js";
import { type HostPorts, nodeContext } from "./context.js";
import type {
  Decision,
  HealthPart,
  NodeView,
  PlanInput,
  PluginInstance,
  View,
  ViewColumn,
  ViewRow,
} from "./contract.js";
import { checkInstance, checkRows, type HealthReport, healthOf, startFault } from "./instance.js";
import type { LoadedPlugin } from "./loaded.js";

/** Seconds that a plugin may take. */
export const hostDeadlines = { start: 10, open: 30, stop: 10, view: 10, plan: 60, explain: 10 } as const;

export interface PluginReport {
  readonly name: string;
  readonly description: string;
  readonly origin: string;
  /** `off`: its taps were switched off. */
  readonly state: "running" | "off" | "failed" | "stopped";
  readonly health: HealthPart;
  readonly views: readonly string[];
  readonly taps: readonly TapReport[];
}

interface Hosted {
  readonly loaded: LoadedPlugin;
  readonly name: string;
  instance: PluginInstance;
  state: "running" | "failed" | "stopped";
  isOff?: boolean;
}

/** The plugins of one agent: started in order, stopped in reverse, each within a deadline. */
export class PluginHost {
  readonly #ports: HostPorts;
  readonly #plugins: Hosted[] = [];
  readonly #views = new Map<string, { readonly plugin: Hosted; readonly view: View }>();
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  /**
   * Starts the plugins in the given order. When one throws, hangs or breaks the contract, all that were started are
   * stopped again, that one included.
   * @throws NodeAgentError PLUGIN_START naming the plugin
   */
  async start(plugins: readonly LoadedPlugin[]): Promise<void> {
    for (const loaded of plugins) {
      const { name } = loaded.plugin.meta;
      const hosted: Hosted = { loaded, name, instance: {}, state: "running" };
      this.#plugins.push(hosted);
      try {
        await this.#startOne(hosted);
      } catch (error) {
        await this.#abandon(hosted);
        throw startFault(name, error, loaded.file);
      } finally {
        this.#ports.guard.seal(name);
      }
    }
  }

  async #startOne(hosted: Hosted): Promise<void> {
    const { loaded, name } = hosted;
    const context = nodeContext(name, this.#ports, this.#stopping.signal);
    const started = Promise.resolve(loaded.plugin.start(context, loaded.options, loaded.strategies ?? {}));
    // A start that comes back after its deadline has something to stop all the same.
    started.then(
      (late) => {
        if (hosted.state === "failed") void this.#stopOne({ ...hosted, instance: tryInstance(name, late) });
      },
      () => {},
    );
    const returned = await this.#within(hosted, "start", started);
    hosted.instance = checkInstance(name, returned);
    for (const [view, content] of Object.entries(hosted.instance.views ?? {})) this.#addView(hosted, view, content);
  }

  #addView(plugin: Hosted, name: string, view: View): void {
    const reserved = this.#ports.reservedViews.includes(name) ? "hooklet itself" : undefined;
    const first = reserved ?? this.#views.get(name)?.plugin.name;
    if (first !== undefined) {
      throw pluginStart(plugin.name, `its view "${name}" exists already, made by ${first}. Choose another name.`);
    }
    this.#views.set(name, { plugin, view });
  }

  /**
   * Opens each plugin on what runs now, in order of start.
   * @throws NodeAgentError PLUGIN_START naming the plugin; everything has been stopped
   */
  async open(observed: NodeView): Promise<void> {
    for (const hosted of this.#plugins) {
      try {
        await this.#within(hosted, "open", (async () => hosted.instance.open?.(observed))());
      } catch (error) {
        await this.#abandon(hosted);
        throw startFault(hosted.name, error, hosted.loaded.file);
      }
    }
  }

  views(): readonly { readonly name: string; readonly plugin: string; readonly description: string }[] {
    return [...this.#views]
      .map(([name, { plugin, view }]) => ({ name, plugin: plugin.name, description: view.description ?? "" }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws NodeAgentError NOT_FOUND, PLUGIN_TIMEOUT */
  async view(name: string): Promise<{ readonly columns: readonly ViewColumn[]; readonly rows: readonly ViewRow[] }> {
    const found = this.#views.get(name);
    if (found === undefined) throw notFound("view", name, this.#views.keys());
    const { plugin, view } = found;
    const rows = await this.#within(plugin, "view", Promise.resolve(view.rows()));
    return { columns: view.columns, rows: checkRows(rows) };
  }

  /** A dry run of the plugin. @throws NodeAgentError NOT_FOUND when it is unknown or has nothing to plan; PLUGIN_TIMEOUT */
  async plan(name: string, input: PlanInput): Promise<readonly Decision[]> {
    const planners = this.#plugins.filter(({ instance }) => instance.plan !== undefined);
    const hosted = planners.find((one) => one.name === name || shortName(one.name) === name);
    if (hosted === undefined) {
      throw notFound(
        "plugin that can plan",
        name,
        planners.map((one) => shortName(one.name)),
      );
    }
    const { instance } = hosted;
    return this.#within(hosted, "plan", (async () => instance.plan?.(input) ?? [])());
  }

  /** What all plugins say now of a subject, in the order of their start. */
  async explain(kind: string, name: string): Promise<readonly Decision[]> {
    const answers = this.#plugins.map(async (hosted): Promise<readonly Decision[]> => {
      const { instance } = hosted;
      if (instance.explain === undefined) return [];
      try {
        const explained = (async () => (await instance.explain?.(kind, name)) ?? [])();
        return await this.#within(hosted, "explain", explained);
      } catch (error) {
        this.#ports.log.warn(`plugin ${hosted.name} could not explain ${kind} ${name}: ${errorText(error)}`);
        return [];
      }
    });
    return (await Promise.all(answers)).flat();
  }

  health(): HealthReport["parts"] {
    return this.#plugins.map(({ name, instance }) => ({ name, ...healthOf(instance) }));
  }

  reports(): readonly PluginReport[] {
    return this.#plugins.map(({ name, loaded, instance, state, isOff = false }) => ({
      name,
      description: loaded.plugin.meta.description ?? "",
      origin: loaded.origin,
      state: state === "running" && isOff ? "off" : state,
      health: healthOf(instance),
      views: Object.keys(instance.views ?? {}),
      taps: this.#ports.guard.reports(name),
    }));
  }

  /** @throws NodeAgentError NOT_FOUND */
  switchPlugin(name: string, active: boolean): void {
    const hosted = this.#plugins.find((one) => one.name === name || shortName(one.name) === name);
    if (hosted === undefined)
      throw notFound(
        "plugin",
        name,
        this.#plugins.map((one) => one.name),
      );
    this.#ports.guard.switchPlugin(hosted.name, active);
    hosted.isOff = !active;
  }

  /** Stops all plugins in reverse order; an error is reported, and the other plugins are stopped all the same. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    this.#stopping.abort(agentStopping());
    for (const hosted of this.#plugins.toReversed()) await this.#stopOne(hosted);
  }

  async #stopOne(hosted: Hosted): Promise<void> {
    const { name, instance } = hosted;
    try {
      await withDeadline(this.#ports.clock, hostDeadlines.stop * 1000, (async () => instance.stop?.())(), () =>
        pluginStop(name, `expected within ${hostDeadlines.stop} s, still busy. It is left alone.`),
      );
    } catch (error) {
      this.#ports.onError(isNodeAgentError(error, "PLUGIN_STOP") ? error : pluginStop(name, errorText(error), error));
    }
    this.#ports.guard.switchPlugin(name, false);
    if (hosted.state === "running") hosted.state = "stopped";
  }

  async #abandon(hosted: Hosted): Promise<void> {
    hosted.state = "failed";
    await this.stop();
  }

  #within<T>({ name }: Hosted, step: Exclude<keyof typeof hostDeadlines, "stop">, work: Promise<T>): Promise<T> {
    const seconds = hostDeadlines[step];
    return withDeadline(this.#ports.clock, seconds * 1000, work, () =>
      step === "start" || step === "open"
        ? pluginStart(name, `its ${step} was expected to end within ${seconds} s and is still busy.`)
        : pluginTimeout(name, step, seconds),
    );
  }
}

/** Short name of a plugin: `@scope/plugin-gc` is `gc`. */
function shortName(name: string): string {
  return name.replace(/^.*\//, "").replace(/^plugin-/, "");
}

function tryInstance(name: string, returned: unknown): PluginInstance {
  try {
    return checkInstance(name, returned);
  } catch {
    // Reported already: its start had failed before it came back with this.
    return {};
  }
}
