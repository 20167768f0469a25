/** The calls to device plugins, and to the sockets of plugins in the folder `plugins_registry`. */

import type { Clock } from "@hooklet/core";
import { responseFault } from "../device/response-fault.js";
import type { PluginClient } from "../registration/connections.js";
import type { PluginInfo, WatcherPorts } from "../registration/watcher.js";
import { deviceOf, optionsOf, preferredRequest, responseOf, type WireDevice, type WireResponse } from "./convert.js";
import { GrpcClient, service } from "./grpc.js";
import { checkSocket } from "./sockets.js";

// The calls of a device plugin over its socket.

/** Milliseconds. A kubelet waits forever for all but PreStartContainer; no other pod is admitted meanwhile. */
const CALL_TIMEOUT = 30_000;
/** More devices in one report are refused: the node's status and every allocation would suffer. */
export const MAX_DEVICES = 100_000;

/** Resolves once it is connected; closes the connection when `signal` aborts first. @param path of its socket, checked */
export async function dialPlugin(clock: Clock, path: string, signal: AbortSignal): Promise<PluginClient> {
  const client = new GrpcClient(path, clock);
  const close = (): void => client.close();
  signal.addEventListener("abort", close, { once: true });
  await client.ready();
  signal.removeEventListener("abort", close);
  return pluginClient(client);
}

function pluginClient(client: GrpcClient): PluginClient {
  const plugin = service("v1beta1.DevicePlugin");
  const call = (rpc: string, request: object): Promise<object> => client.call(plugin, rpc, request, CALL_TIMEOUT);
  return {
    async getOptions() {
      return optionsOf(await call("GetDevicePluginOptions", {}));
    },
    listAndWatch(on) {
      const cancel = client.stream(
        plugin,
        "ListAndWatch",
        {},
        {
          data(message) {
            const { devices } = message as { readonly devices: readonly WireDevice[] };
            if (devices.length > MAX_DEVICES) {
              cancel();
              on.ended(
                new Error(`it reported ${devices.length} devices: expected at most ${MAX_DEVICES} of one resource`),
              );
            } else on.reported(devices.map(deviceOf));
          },
          ended: (error) => on.ended(error),
        },
      );
    },
    async allocate(ids) {
      const answer = await call("Allocate", { containerRequests: [{ devicesIds: ids }] });
      const [first] = (answer as { readonly containerResponses: readonly WireResponse[] }).containerResponses;
      const response = first === undefined ? undefined : responseOf(first);
      const fault = response === undefined ? undefined : responseFault(response);
      if (fault !== undefined) throw new Error(`the device plugin's answer, which cannot be used (${fault})`);
      return { response, text: "&AllocateResponse{ContainerResponses:[]*ContainerAllocateResponse{},}" };
    },
    async preferredAllocation(question) {
      const answer = await call("GetPreferredAllocation", preferredRequest(question));
      const { containerResponses } = answer as {
        readonly containerResponses: readonly { readonly deviceIDs: readonly string[] }[];
      };
      return containerResponses[0]?.deviceIDs;
    },
    async preStartContainer(ids) {
      await call("PreStartContainer", { devicesIds: ids });
    },
    close: () => client.close(),
  };
}

// The calls to the sockets of plugins in the folder `plugins_registry`.

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
