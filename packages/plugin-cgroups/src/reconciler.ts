/** Looks after the cgroups of running containers, which the runtime makes: processes that were moved out of them come back. */
import { type NodeContext, type Pod, runnableContainers } from "@hooklet/core";
import type { CgroupLayout } from "@hooklet/core/rules";
import { type ApplyOptions, applyPlan } from "./apply/apply.js";
import { type CgroupFiles, containerFolder } from "./host/cgroup-files.js";
import type { CgroupManager } from "./manager/cgroup-manager.js";
import { type LookedAfter, MovedProcesses } from "./manager/moved-processes.js";
import { containerBurstPlan, containerPlan } from "./plan/pod-plan.js";

/** The tree that is kept. */
export interface KeptTree {
  readonly manager: CgroupManager;
  readonly layout: CgroupLayout;
  readonly files: CgroupFiles;
}

export class Reconciler {
  readonly #movedProcesses: MovedProcesses;

  constructor(
    private readonly ctx: Pick<NodeContext, "pods" | "events" | "log">,
    private readonly open: KeptTree,
  ) {
    this.#movedProcesses = new MovedProcesses(open.files, open.layout);
  }

  /** Running containers of the pods whose cgroups are kept. */
  containers(): readonly (LookedAfter & { readonly pod: Pod })[] {
    return this.open.manager.pods().flatMap(({ pod, path }) =>
      runnableContainers(pod).flatMap(({ name }) => {
        const podUid = pod.metadata.uid;
        const id = this.ctx.pods.running({ podUid, container: name })?.containerId;
        const own = id === undefined ? undefined : this.#pathOf(path, id);
        return id === undefined || own === undefined ? [] : [{ id, podUid, container: name, path: own, pod }];
      }),
    );
  }

  /** A container has just started. @param pod with what it has */
  async started(pod: Pod, container: string, id: string): Promise<void> {
    const { uid } = pod.metadata;
    const path = this.open.manager.pathOf(uid);
    const own = path === undefined ? undefined : this.#pathOf(path, id);
    if (own === undefined) return;
    this.#movedProcesses.remember({ id, podUid: uid, container, path: own });
    await this.#writeBurst(pod, container, own);
  }

  /** Before the runtime lowers a container's quota: the kernel takes none below the burst. @param pod as it will be */
  async lowerBurst(pod: Pod, container: string, id: string): Promise<void> {
    const path = this.open.manager.pathOf(pod.metadata.uid);
    const own = path === undefined ? undefined : this.#pathOf(path, id);
    if (own !== undefined) await this.#writeBurst(pod, container, own, { shrinkOnly: true });
  }

  /** Every minute. */
  async look(): Promise<void> {
    for (const { pod, container, path } of this.containers()) await this.#writeBurst(pod, container, path);
    for (const stray of await this.#movedProcesses.look(this.containers(), (one) => this.#remake(one))) {
      const { podUid, container, pid, command, found, path, error } = stray;
      const pod = this.ctx.pods.get(podUid);
      const what = `process ${pid} (${command}) of container ${container} was moved to ${found}`;
      const message =
        error === undefined ? `${what}, brought back to ${path}` : `${what} and cannot be brought back: ${error}`;
      this.ctx.log.warn(message);
      if (pod !== undefined) this.ctx.events.pod(pod, "Warning", "CgroupRepaired", message, container);
    }
  }

  /** Creates the runtime's cgroup again after it was deleted: without it the container's processes have no limits. */
  async #remake({ pod, container: name, path }: LookedAfter & { readonly pod: Pod }): Promise<void> {
    const { files, layout, manager } = this.open;
    const container = runnableContainers(pod).find((one) => one.name === name);
    if (container === undefined) return;
    // oom_score_adj belongs to the processes, which keep it.
    const plan = containerPlan(pod, container, manager.rules).plan.filter(({ file }) => file !== "oom_score_adj");
    const { refused } = await applyPlan(
      files,
      layout,
      plan.map((setting) => ({ ...setting, path })),
    );
    const message = `cgroup ${path} of container ${name} was gone and was made again`;
    this.ctx.log.warn(message);
    this.ctx.events.pod(pod, "Warning", "CgroupRepaired", message, name);
    for (const { message: why } of refused) this.ctx.log.warn(`container ${name} of pod ${pod.metadata.uid}: ${why}`);
  }

  async #writeBurst(pod: Pod, name: string, path: string, only: Pick<ApplyOptions, "shrinkOnly"> = {}): Promise<void> {
    const { files, layout, manager } = this.open;
    if (!manager.rules.burst) return;
    const container = runnableContainers(pod).find((one) => one.name === name);
    if (container === undefined) return;
    const { cpuQuota } = containerPlan(pod, container, manager.rules).resources;
    const plan = containerBurstPlan(path, pod, cpuQuota, manager.rules);
    const { refused } = await applyPlan(files, layout, plan, { make: false, ...only });
    for (const { message } of refused) this.ctx.log.warn(`container ${name} of pod ${pod.metadata.uid}: ${message}`);
  }

  #pathOf(podPath: string, id: string): string | undefined {
    const { files, layout, manager } = this.open;
    const name = containerFolder(files, layout, manager.rules.driver, { podPath, id });
    return name === undefined ? undefined : `${podPath}/${name}`;
  }
}
