/** The sources of an agent: the agent's own and those that plugins add, each name once. */
import { NodeAgentError, pluginStart } from "@hooklet/utils";
import type { PodSource } from "../sources/port.js";

export class SourceList {
  readonly #all = new Map<string, PodSource>();
  /** Source -> the plugin that added it. */
  readonly #owners = new Map<string, string>();
  #ready: () => boolean = () => false;

  /** @throws NodeAgentError CLAIM_CONFLICT when the name is taken */
  add(source: PodSource): void {
    if (this.#all.has(source.name)) {
      const text = `There are two sources of pods called "${source.name}". Give one of them another name.`;
      throw new NodeAgentError("CLAIM_CONFLICT", text);
    }
    this.#all.set(source.name, source);
  }

  /** `ctx.addSource`. @throws NodeAgentError PLUGIN_START for a name that is taken, and for rubbish */
  addFor(plugin: string, source: PodSource): void {
    const { name, start, stop } = (source ?? {}) as Partial<PodSource>;
    if (typeof name !== "string" || name === "" || typeof start !== "function" || typeof stop !== "function") {
      throw pluginStart(plugin, "it added a source that is none: expected {name, start, stop}.");
    }
    if (this.#all.has(name)) {
      throw pluginStart(plugin, `its source "${name}" has the name of another one. Choose another name.`);
    }
    this.#all.set(name, source);
    this.#owners.set(name, plugin);
  }

  /** The plugin that added the source; undefined: it is the agent's own. */
  ownerOf(source: string | undefined): string | undefined {
    return source === undefined ? undefined : this.#owners.get(source);
  }

  /** The file or URL that a pod's manifest is in; a plugin's source that fails over it knows none. */
  placeOf(uid: string): string | undefined {
    for (const source of this.#all.values()) {
      try {
        const place: unknown = source.placeOf?.(uid);
        if (typeof place === "string") return place;
      } catch {}
    }
    return undefined;
  }

  /** Whether each of them has spoken. */
  isReady(): boolean {
    return this.#ready();
  }

  /** Sets the function that reports whether all sources are ready. */
  readyWhen(ready: () => boolean): void {
    this.#ready = ready;
  }

  list(): readonly PodSource[] {
    return [...this.#all.values()];
  }
}
