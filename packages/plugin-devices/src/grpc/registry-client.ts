/** The calls to the sockets of plugins in the folder `plugins_registry`. */
import type { Clock } from "@hooklet/core";
import type { PluginInfo, WatcherPorts } from "../registration/watcher.js";
import { GrpcClient, service } from "./grpc.js";
import { checkSocket } from "./sockets.js";

/** Milliseconds for one call, the dial included. */
const TIMEOUT = 10_000;

export function registryCalls(clock: Clock): Pick<WatcherPorts, "getInfo" | "notify"> {
  const call = async (path: string, rpc: string, request: object): Promise<object> => {
    await checkSocket(path);
    const client = new GrpcClient(path, clock);
    try {
      return await client.call(service("pluginregistration.Registration"), rpc, request, TIMEOUT);
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
