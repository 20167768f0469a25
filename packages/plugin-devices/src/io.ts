/** The outside world of the device manager, so that a test or a simulation can take its place. */
import { dirname } from "node:path";
import type { Clock } from "@hooklet/core";
import { openStateFile, type StateFile } from "@hooklet/core/internal";
import { defineSeam } from "@hooklet/core/subsystem";
import type { CheckpointData } from "./checkpoint/data.js";
import { dialPlugin } from "./grpc/plugin-client.js";
import { type PodResourcesSource, servePodResources } from "./grpc/pod-resources-server.js";
import { serveRegistration } from "./grpc/registration-server.js";
import { checkSocket, prepareFolder } from "./grpc/sockets.js";
import { registryCalls, socketsIn } from "./grpc/watch-registry.js";
import type { PluginClient } from "./registration/connections.js";
import type { RegisterRequest } from "./registration/rules.js";
import type { FoundSocket, PluginInfo } from "./registration/watcher.js";

export interface RunningServer {
  /** False when its socket has been taken away. */
  isThere(): Promise<boolean>;
  stop(): Promise<void>;
}

/** What is written: as it is when the disk is free for it. */
export interface Records {
  now(): CheckpointData;
}

export interface RecordsCodec {
  encode(records: Records): string;
  /** @throws Error for what is damaged */
  decode(text: string): Records;
}

/** The file was damaged. `aside`: where it lies now; undefined when it could not be moved. */
export type OnDamaged = (path: string, aside: string | undefined, why: string) => void;

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
  stateFile(path: string, codec: RecordsCodec, onDamaged: OnDamaged): Pick<StateFile<Records>, "read" | "write">;
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
    stateFile(path, codec, onDamaged) {
      const file = openStateFile(path, codec, { clock, onDamaged });
      return {
        read: () => file.read(),
        async write(records) {
          await prepareFolder(dirname(path));
          await file.write(records);
        },
      };
    },
  };
}

/** Device plugins and their sockets, and the files of the device manager. */
export const devicesIo = defineSeam<(clock: Clock) => DevicesIo>("@hooklet/plugin-devices/io", realIo);
