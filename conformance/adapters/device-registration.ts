import type { Clock } from "@hooklet/core";
import type { PluginClient } from "@hooklet/plugin-devices";
import {
  Connections,
  checkSocketPath,
  dialPath,
  type PluginOptions,
  registrationHealth,
  staleSockets,
  watchedPluginFault,
} from "@hooklet/plugin-devices/internal";
import { systemClock } from "@hooklet/utils";
import type { Adapter } from "../adapter.js";
import { errorOf, knownKeys, only, textFor, willing } from "./devices.js";

interface RawRegister {
  readonly version: string;
  readonly endpoint: string;
  readonly resource_name: string;
  readonly options?: object;
}

interface Input {
  readonly register?: RawRegister;
  readonly socket_dir?: string;
  readonly get_options_error?: string;
  readonly get_options?: { readonly pre_start_required: boolean };
  readonly listening?: boolean;
  readonly server_socket?: string;
  readonly validate?: { readonly name: string; readonly versions: readonly string[] };
  readonly dir?: readonly { readonly name: string; readonly type: string }[];
  readonly connects?: number;
  readonly same_socket?: boolean;
  readonly plugin_connected_error?: string;
  readonly serving?: boolean | string;
}

const keys = [
  "register",
  "socket_dir",
  "get_options_error",
  "get_options",
  "listening",
  "server_socket",
  "validate",
  "dir",
  "connects",
  "same_socket",
  "plugin_connected_error",
  "serving",
];

export const adapter: Adapter<Input> = {
  async run(input) {
    knownKeys(input, keys);
    const { server_socket: path, validate, dir, serving } = input;
    if (path !== undefined) return { error: await errorOf(() => checkSocketPath(path)) };
    if (validate !== undefined) return { error: watchedPluginFault(validate.name, validate.versions) ?? null };
    if (dir !== undefined) {
      const stale = new Set(staleSockets(dir));
      return { left: dir.map(({ name }) => name).filter((name) => !stale.has(name)) };
    }
    if (serving !== undefined) {
      if (serving !== false && serving !== "stopped") throw new Error(`unknown state ${serving}`);
      return { healthy: registrationHealth(undefined).ok, error: registrationHealth(undefined).message ?? null };
    }
    return await register(input);
  },
  part: (answer: object, expected: { readonly error?: unknown }) => {
    const { error = null } = answer as { readonly error?: string | null };
    const recorded = expected.error === true ? error !== null : textFor(expected.error, error);
    return only({ ...answer, ...("error" in answer ? { error: recorded } : {}) }, expected);
  },
};

async function register(input: Input): Promise<object> {
  const { socket_dir, get_options_error, get_options, listening = true, connects = 1, plugin_connected_error } = input;
  const raw = input.register ?? {
    version: "v1beta1",
    endpoint: "device-plugin.sock",
    resource_name: "fake-domain/resource",
  };
  const directory = socket_dir ?? "<socket dir>";
  const { clock, waits } = impatient(!listening);
  let dialled: string | undefined;
  let connectedCalls = 0;
  let open = 0;
  let options: PluginOptions | undefined;
  const connections = new Connections({
    clock,
    async dial(path) {
      dialled = path;
      if (!listening) return new Promise<PluginClient>(() => {});
      open++;
      return {
        async getOptions() {
          if (get_options_error !== undefined) throw new Error(get_options_error);
          return get_options === undefined
            ? willing
            : { preStartRequired: get_options.pre_start_required, getPreferredAllocationAvailable: false };
        },
        listAndWatch: () => {},
        allocate: () => Promise.reject(new Error("not asked")),
        preferredAllocation: () => Promise.reject(new Error("not asked")),
        preStartContainer: () => Promise.reject(new Error("not asked")),
        close: () => void open--,
      };
    },
    connected(_, endpoint) {
      connectedCalls++;
      if (plugin_connected_error !== undefined) throw new Error(plugin_connected_error);
      options = endpoint.options;
    },
    reported: () => {},
    disconnected: () => {},
  });
  const errors: (string | null)[] = [];
  for (let i = 0; i < connects; i++) {
    const request = { version: raw.version, endpoint: raw.endpoint, resourceName: raw.resource_name };
    errors.push(await errorOf(() => connections.register(request, directory)));
  }
  const clients = connections.resources().length;
  return {
    error: errors[0],
    errors,
    dial: dialled ?? dialPath(directory, raw.endpoint),
    client_kept: clients > 0,
    clients,
    plugin_connected_calls: connectedCalls,
    grpc_open: open > 0,
    options: options === undefined ? undefined : { pre_start_required: options.preStartRequired },
    timeoutSeconds: waits[0],
  };
}

/** A clock on which every wait is over at once, when the port is closed; it notes how long that would have been. */
function impatient(over: boolean): { readonly clock: Clock; readonly waits: readonly number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    schedule(milliseconds, run) {
      waits.push(milliseconds / 1000);
      return systemClock.schedule(over ? 0 : milliseconds, run);
    },
  };
  return { clock, waits };
}
