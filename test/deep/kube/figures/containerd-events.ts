/** What containerd says of its containers, and when. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Ended {
  /** Milliseconds since 1970: its shim has seen the end; it is cleared away, and the CRI shows the end. */
  exit?: number;
  cleared?: number;
}

export class ContainerdEvents {
  /** By container id. */
  readonly seen = new Map<string, Ended>();
  readonly #child: ChildProcess;

  constructor(endpoint: string) {
    const words = ["-a", endpoint.replace("unix://", ""), "-n", "k8s.io", "events"];
    this.#child = spawn("ctr", words, { stdio: ["ignore", "pipe", "ignore"] });
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#saw(line));
  }

  /** `2026-11-22 15:00:00.123456789 +0000 UTC k8s.io /tasks/exit {"container_id":"..","id":".."}` */
  #saw(line: string): void {
    const [, date, time, topic, text = ""] =
      /^(\S+) (\S+) \+0000 UTC \S+ \/tasks\/(exit|delete) (.*)$/.exec(line) ?? [];
    if (topic === undefined) return;
    const at = Date.parse(`${date}T${time}Z`);
    const { container_id: container, id = container } = JSON.parse(text) as { container_id: string; id?: string };
    if (id !== container && id !== "") return; // of a command in it
    const one = this.seen.get(container) ?? {};
    this.seen.set(container, one);
    if (topic === "exit") one.exit ??= at;
    else one.cleared ??= at;
  }

  stop(): void {
    this.#child.kill();
  }
}
