/** The outside world of the device manager, so that a test or a simulation can take its place. */
import { dirname } from "node:path";
import type { Clock } from "@hooklet/core";
import { defineSeam } from "@hooklet/core/subsystem";
import { openStateFile, type StateFile } from "@hooklet/linux";
import type { CheckpointData } from "./checkpoint/format.js";
import type { PodResourcesSource } from "./grpc/servers.js";
import {
  checkSocket,
  prepareFolder,
  type RunningServer,
  removeStaleSockets,
  serveAt,
  socketsIn,
} from "./grpc/sockets.js";
import type { ResponseCodec } from "./manager/ports.js";
import type { PluginClient } from "./registration/connections.js";
import { checkSocketPath, type RegisterRequest } from "./registration/rules.js";
import type { FoundSocket, PluginInfo } from "./registration/watcher.js";

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
  /** Loaded before the first use: protobuf is not part of a start. */
  readonly codec: ResponseCodec & { load(): Promise<void> };
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

function codec(): DevicesIo["codec"] {
  let loaded: ResponseCodec | undefined;
  const used = (): ResponseCodec => {
    if (loaded === undefined) throw new Error("the codec is used before it is loaded");
    return loaded;
  };
  return {
    encode: (response) => used().encode(response),
    decode: (encoded) => used().decode(encoded),
    async load() {
      loaded ??= (await import("./grpc/convert.js")).responseCodec;
    },
  };
}

export function realIo(clock: Clock): DevicesIo {
  const registry = async () => (await import("./grpc/clients.js")).registryCalls(clock);
  return {
    codec: codec(),
    async dial(path, signal) {
      await checkSocket(path);
      const { dialPlugin } = await import("./grpc/clients.js");
      return dialPlugin(clock, path, signal);
    },
    async serveRegistration(path, register) {
      checkSocketPath(path);
      const folder = dirname(path);
      const load = async () =>
        (await import("./grpc/servers.js")).registrationServer((request) => register(request, folder));
      return serveAt(path, load, () => removeStaleSockets(folder));
    },
    servePodResources: (path, source) =>
      serveAt(path, async () => (await import("./grpc/servers.js")).podResourcesServer(clock, source)),
    getInfo: async (path) => (await registry()).getInfo(path),
    notify: async (path, error) => (await registry()).notify(path, error),
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
