/** Another agent in place of the one that runs, in the same process, with the configuration as it is now. */
import type { AgentConfig } from "@hooklet/core/host";
import { errorText, NodeAgentError } from "@hooklet/utils";

/** What a restart alone changes: the next agent would not find the pods of this one, or its clients not the next agent. */
const FIXED: Readonly<Record<string, (config: AgentConfig) => string>> = {
  rootDir: ({ rootDir }) => rootDir,
  socket: ({ socket }) => socket,
  runtime: ({ runtime }) => runtime.specifier,
  "node.name": ({ node }) => node.name,
};

export class Reload {
  #next: AgentConfig | undefined;
  #running: AgentConfig | undefined;
  #grant: () => void = () => undefined;

  /** @param load the configuration as it is now; rejects with all its faults */
  constructor(private readonly load: () => Promise<AgentConfig>) {}

  /** The next agent's configuration, and the one to go back to when it does not start with that. */
  async configs(): Promise<{ readonly config: AgentConfig; readonly before: AgentConfig | undefined }> {
    const config = this.#next ?? (await this.load());
    const before = this.#next === undefined ? undefined : this.#running;
    this.#next = undefined;
    return { config, before };
  }

  /** An agent runs with it. Resolves when another one is to take its place. */
  running(config: AgentConfig): Promise<"reload"> {
    this.#running = config;
    return new Promise((resolve) => {
      this.#grant = () => resolve("reload");
    });
  }

  /** As `reload` of AgentApi. */
  async request(): Promise<void> {
    const next = await this.#load();
    for (const [name, of] of Object.entries(FIXED)) {
      const [now, then] = [this.#running, next].map((config) => config && of(config));
      if (now === then) continue;
      throw refused(`${name}: a reload cannot change it from ${now} to ${then}. Restart the agent.`);
    }
    this.#next = next;
    this.#grant();
  }

  async #load(): Promise<AgentConfig> {
    try {
      return await this.load();
    } catch (error) {
      throw refused(errorText(error));
    }
  }
}

function refused(why: string): NodeAgentError {
  return new NodeAgentError("INVALID", `${why}\nNothing is reloaded; the agent runs on as it is.`);
}
