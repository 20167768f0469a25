/** Core's own tap: keeps the log files of running containers small where the runtime does not do it itself. */
import path from "node:path";
import type { Runtime } from "@hooklet/cri-api";
import { rotateLog } from "@hooklet/logs";
import { podText } from "@hooklet/manifest";
import { type Clock, errorText } from "@hooklet/utils";
import type { NodeHooks } from "../hooks/hooks.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import type { PodWorker } from "../pod/life/worker.js";
import { containerLogPath } from "../pod/spec/container-config.js";
import { podLogDirectory } from "../pod/spec/sandbox-config.js";

/** The kubelet's containerLogMonitorInterval, seconds. */
const PERIOD = 10;

export interface LogRotation {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "reopenContainerLog">;
  readonly podLogsDir: string;
  /** Bytes. */
  readonly maxSize: number;
  readonly maxFiles: number;
  report(where: string, error: unknown): void;
}

export function watchLogs(hooks: NodeHooks, manager: PodManager, rotation: LogRotation): void {
  if (rotation.runtime.reopenContainerLog === undefined) return;
  hooks.tick.for(PERIOD).tapPromise("core", async () => {
    for (const worker of [...manager.workers()]) {
      try {
        await rotateAll(worker, rotation);
      } catch (error) {
        rotation.report(`log rotation of pod ${podText(worker.pod)}`, error);
      }
    }
  });
}

async function rotateAll({ pod, state }: PodWorker, rotation: LogRotation): Promise<void> {
  const folder = podLogDirectory(rotation.podLogsDir, pod);
  for (const [name, container] of Object.entries(state.containers)) {
    if (container.kind !== "running") continue;
    await rotate(rotation, path.join(folder, containerLogPath(name, container.attempt)), container.id);
  }
}

/** A log that cannot be rotated (a full disk) is no reason to leave the others. */
async function rotate(
  { clock, runtime, maxSize, maxFiles, report }: LogRotation,
  file: string,
  id: string,
): Promise<void> {
  const reopen = async (): Promise<void> => runtime.reopenContainerLog?.(id);
  try {
    await rotateLog({ file, maxSize, maxFiles, now: clock.now(), reopen });
  } catch (error) {
    report("log rotation", new Error(`${file} is not rotated: ${errorText(error)}`, { cause: error }));
  }
}
