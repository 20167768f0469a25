/** Moves memory.high of pods with the pressure that they are under (cgroup v2). */
import { errorText, type NodeContext } from "@hooklet/core";
import { cgroupFolder } from "@hooklet/core/rules";
import { Once } from "@hooklet/utils";
import type { KeptPod } from "../manager/cgroup-manager.js";
import type { CgroupService, OpenCgroups } from "../service.js";
import { highRange, nextHigh, somePressure } from "./rule.js";

const NONE = "max";

export class MemoryHighController {
  readonly #failed = new Once();

  /** @param target percent; null: pods have no memory.high of this kind */
  constructor(
    private readonly ctx: Pick<NodeContext, "log" | "host">,
    private readonly service: Pick<CgroupService, "open" | "rules">,
    private readonly target: number | null,
  ) {}

  /** Values of an earlier agent are reset, unless they continue. */
  open(): void {
    const { open } = this.service;
    if (this.target !== null && this.service.rules.version === "v1") {
      this.ctx.log.warn("option memoryHighPressure needs cgroup v2: it does nothing here");
    }
    if (this.target === null && open !== undefined) this.#release(open, open.manager.foundPods());
  }

  /** Every ten seconds, which is what the kernel averages over. */
  look(): void {
    const { open, rules } = this.service;
    if (open === undefined || rules.version === "v1" || this.target === null) return;
    for (const kept of open.manager.pods()) this.#adjust(open, kept, this.target);
  }

  /** Resets memory.high, which would never be raised again. */
  close(): void {
    const { open } = this.service;
    if (open !== undefined && this.target !== null) this.#release(open, open.manager.pods());
  }

  #adjust(open: OpenCgroups, { pod, path }: KeptPod, target: number): void {
    const range = highRange(pod, this.service.rules.allocatableMemory);
    const read = (file: string): string | undefined => open.files.read(this.#file(open, path, file))?.trim();
    const pressure = somePressure(read("memory.pressure"));
    const current = Number(read("memory.current"));
    const now = read("memory.high");
    if (range === undefined || pressure === undefined || now === undefined || !Number.isFinite(current)) return;
    const high = now === NONE ? Number.POSITIVE_INFINITY : Number(now);
    const next = nextHigh({ ...range, current, high, pressure, target, pageSize: this.ctx.host.pageSize });
    if (next !== high) this.#write(open, path, Number.isFinite(next) ? String(next) : NONE);
  }

  #release(open: OpenCgroups, pods: readonly { readonly path: string }[]): void {
    if (this.service.rules.version === "v1") return;
    for (const { path } of pods) {
      const now = open.files.read(this.#file(open, path, "memory.high"))?.trim();
      if (now !== undefined && now !== NONE) this.#write(open, path, NONE);
    }
  }

  #write(open: OpenCgroups, path: string, value: string): void {
    try {
      open.files.write(this.#file(open, path, "memory.high"), value);
      this.#failed.over(path);
    } catch (error) {
      if (this.#failed.isNews(path))
        this.ctx.log.warn(`cannot set memory.high of ${path} to ${value}: ${errorText(error)}`);
    }
  }

  #file({ layout }: OpenCgroups, path: string, name: string): string {
    return `${cgroupFolder(layout, "memory", path)}/${name}`;
  }
}
