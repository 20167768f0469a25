/** The outside world of the device manager, so that a test or a simulation can take its place. */
import { readFile, rename, stat } from "node:fs/promises";
import { type Clock, whenGone } from "@hooklet/core";
import { writeFileAtomic } from "@hooklet/core/host";
import { dialPlugin } from "./grpc/plugin-client.js";
import { type PodResourcesSource, servePodResources } from "./grpc/pod-resources-server.js";
import { serveRegistration } from "./grpc/registration-server.js";
import { checkSocket, prepareFolder } from "./grpc/sockets.js";
import { registryCalls, socketsIn } from "./grpc/watch-registry.js";
import type { PluginClient } from "./registration/connections.js";
import type { RegisterRequest } from "./registration/rules.js";
import type { FoundSocket, PluginInfo } from "./registration/watcher.js";

/** A checkpoint of 110 pods is some 100 KiB. */
const MAX_CHECKPOINT = 64 * 1024 * 1024;

export interface RunningServer {
  /** False when its socket has been taken away. */
  isThere(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface DevicesIo {
  dial(path: string, signal: AbortSignal): Promise<PluginClient>;
  serveRegistration(
    path: string,
    register: (request: RegisterRequest, folder: string) => Promise<void>,
  ): Promise<RunningServer>;
  servePodResources(path: string, source: PodResourcesSource): Promise<RunningServer>;
  registrySockets(folder: string): Promise<readonly FoundSocket[]>;
  getInfo(path: string): Promise<PluginInfo>;
  notify(path: string, error: string | undefined): Promise<void>;
  /** Undefined: there is none. */
  readCheckpoint(path: string): Promise<string | undefined>;
  writeCheckpoint(path: string, folder: string, text: string): Promise<void>;
  /** Moves a damaged file out of the way; gives its new path. */
  setAside(path: string): Promise<string>;
}

export function realIo(clock: Clock): DevicesIo {
  return {
    ...registryCalls(clock),
    async dial(path, signal) {
      await checkSocket(path);
      return dialPlugin(clock, path, signal);
    },
    serveRegistration,
    servePodResources: (path, source) => servePodResources(path, clock, source),
    registrySockets: socketsIn,
    readCheckpoint: (path) =>
      whenGone(undefined, async () => {
        const { size } = await stat(path);
        if (size > MAX_CHECKPOINT) throw new Error(`expected at most ${MAX_CHECKPOINT} bytes, found ${size}`);
        return readFile(path, "utf8");
      }),
    async writeCheckpoint(path, folder, text) {
      await prepareFolder(folder);
      await writeFileAtomic(path, text);
    },
    async setAside(path) {
      const aside = `${path}.corrupt-${new Date(clock.now()).toISOString().replace(/[-:]/g, "")}`;
      await rename(path, aside);
      return aside;
    },
  };
}
