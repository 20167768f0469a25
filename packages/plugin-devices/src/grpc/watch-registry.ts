/** The folder `plugins_registry` and the calls to the sockets in it. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@hooklet/core";
import { whenGone } from "@hooklet/core/subsystem";
import { socketIdentity } from "@hooklet/linux";
import type { FoundSocket, PluginInfo, WatcherPorts } from "../registration/watcher.js";
import { GrpcClient } from "./grpc.js";
import { service } from "./schema.js";
import { checkSocket } from "./sockets.js";

/** Milliseconds for one call, the dial included. */
const TIMEOUT = 10_000;
/** Sockets that are looked at; more are none of a node's plugins. */
const MAX_SOCKETS = 1_000;

/** Sockets in the folder and the folders in it, hidden ones left out; none when it is not there. */
export async function socketsIn(folder: string, depth = 1): Promise<readonly FoundSocket[]> {
  const entries: readonly Dirent[] = await whenGone([], () => readdir(folder, { withFileTypes: true }));
  const found: FoundSocket[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".") || found.length >= MAX_SOCKETS) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) found.push(...(await socketsIn(path, depth - 1)));
    if (!entry.isSocket()) continue;
    const identity = await socketIdentity(path);
    if (identity !== undefined) found.push({ path, identity });
  }
  return found;
}

export function registryCalls(clock: Clock): Pick<WatcherPorts, "getInfo" | "notify"> {
  const call = async (path: string, rpc: string, request: object): Promise<object> => {
    await checkSocket(path);
    const client = new GrpcClient(path, clock);
    try {
      return await client.call(service("pluginregistration", "Registration"), rpc, request, TIMEOUT);
    } finally {
      client.close();
    }
  };
  return {
    getInfo: async (path) => (await call(path, "GetInfo", {})) as PluginInfo,
    async notify(path, error) {
      await call(path, "NotifyRegistrationStatus", { pluginRegistered: error === undefined, error: error ?? "" });
    },
  };
}
