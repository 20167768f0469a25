import type { Device, PluginClient } from "@hooklet/plugin-devices";
import { type ConnectionPorts, Connections } from "@hooklet/plugin-devices/internal";
import { systemClock } from "@hooklet/utils";
import type { Adapter } from "../adapter.js";
import { knownKeys, managerOf, only, type RawDevice, sorted, toDevice, willing, worldOf } from "./devices.js";

const RESOURCE = "vendor.example/device";

type Step = readonly ["connect" | "disconnect", socket: string, plugin?: string];

interface Input {
  readonly steps?: readonly Step[];
  readonly healthy?: readonly string[];
  readonly messages?: readonly (readonly RawDevice[])[];
  readonly stream?: string;
}

type Stream = Parameters<PluginClient["listAndWatch"]>[0];

export const adapter: Adapter<Input> = {
  keys: ["steps", "healthy", "messages", "stream"],
  async run({ steps, healthy = [], messages, stream, ...rest }) {
    knownKeys(rest, []);
    const manager = managerOf(worldOf());
    const names = new Map<string, string>();
    const running = new Map<string, string>();
    let last: Stream | undefined;
    let callbacks = 0;
    const ports: ConnectionPorts = {
      clock: systemClock,
      dial: async (path) => {
        const plugin = names.get(path) ?? path;
        return {
          getOptions: async () => willing,
          listAndWatch(on) {
            running.clear();
            running.set(path, plugin);
            last = on;
          },
          allocate: () => Promise.reject(new Error("not asked")),
          preferredAllocation: () => Promise.reject(new Error("not asked")),
          preStartContainer: () => Promise.reject(new Error("not asked")),
          close: () => void (running.get(path) === plugin && running.delete(path)),
        };
      },
      connected: (resource, endpoint) => manager.connected(resource, endpoint),
      reported(resource, devices) {
        callbacks++;
        manager.reported(resource, devices);
      },
      disconnected: (resource, endpoint) => void manager.disconnected(resource, endpoint),
    };
    const connections = new Connections(ports);
    const connect = async (socket: string, plugin: string, devices: readonly Device[]): Promise<string> => {
      names.set(socket, plugin);
      await connections.connect(RESOURCE, socket);
      last?.reported(devices);
      return "ok";
    };
    const results: string[] = [];
    for (const [what, socket, plugin = ""] of steps ?? []) {
      if (what === "connect")
        results.push(
          await connect(
            socket,
            plugin,
            healthy.map((id) => toDevice({ id })),
          ),
        );
      else if (what === "disconnect") {
        connections.disconnect(RESOURCE);
        results.push("ok");
      } else throw new Error(`unknown step ${what}`);
    }
    if (steps === undefined)
      await connect(
        "/plugin.sock",
        "p",
        (messages === undefined ? ["dev1"] : []).map((id) => toDevice({ id })),
      );
    callbacks = steps === undefined && messages !== undefined ? 0 : callbacks;
    for (const message of messages ?? []) last?.reported(message.map(toDevice));
    if (stream === "error") last?.ended(new Error("stream error"));
    else if (stream !== undefined) throw new Error(`unknown stream ${stream}`);
    const known = manager.inventory.get(RESOURCE);
    const stopped = known?.stoppedAt !== undefined;
    const [healthyIds, unhealthyIds] = [[...(known?.healthy ?? [])], [...(known?.unhealthy ?? [])]];
    const lists = messages !== undefined;
    return {
      results,
      endpoints: Object.fromEntries(running),
      primary: [...running.values()][0],
      stopped,
      endpoint_stopped: stopped,
      healthy: lists ? sorted(healthyIds) : healthyIds.length,
      unhealthy: lists ? sorted(unhealthyIds) : unhealthyIds.length,
      devices_healthy: healthyIds.length,
      callbacks,
    };
  },
  expected: (expected: { readonly healthy?: unknown; readonly unhealthy?: unknown }) => ({
    ...expected,
    ...(Array.isArray(expected.healthy) ? { healthy: sorted(expected.healthy as string[]) } : {}),
    ...(Array.isArray(expected.unhealthy) ? { unhealthy: sorted(expected.unhealthy as string[]) } : {}),
  }),
  part: only,
};
