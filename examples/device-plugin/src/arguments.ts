/** What the command line says. */
import { parseArgs } from "node:util";

export interface Options {
  /** Folder of the agent's `kubelet.sock`, and of this plugin's own socket. */
  readonly folder: string;
  readonly resource: string;
  readonly devices: readonly DeviceOption[];
  /** Device node of the host that a container gets for each of its devices; empty: none. */
  readonly node: string;
  /** Folder of the host that is mounted on `/demo`, read-only; empty: none. */
  readonly mount: string;
  readonly preStart: boolean;
  readonly prefer: "none" | "last";
}

export interface DeviceOption {
  readonly id: string;
  readonly numa: number | undefined;
  readonly health: string;
}

export const usage = `Usage: device-plugin [options]
  --folder DIR      folder of kubelet.sock (default /var/lib/kubelet/device-plugins)
  --resource NAME   default demo.hooklet.dev/null
  --device SPEC     ID[,numa=N][,health=WORD]; may be given again (default null-0 and null-1)
  --node PATH       device node for each device (default /dev/null; empty: none)
  --mount DIR       folder to mount on /demo, read-only (default none)
  --pre-start       wants to be asked before each start of a container
  --prefer last     prefers devices from the end of the list
Type "ID WORD" on its standard input to change a device's health.`;

/** @throws Error saying what is wrong */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string", default: "/var/lib/kubelet/device-plugins" },
      resource: { type: "string", default: "demo.hooklet.dev/null" },
      device: { type: "string", multiple: true, default: ["null-0", "null-1"] },
      node: { type: "string", default: "/dev/null" },
      mount: { type: "string", default: "" },
      "pre-start": { type: "boolean", default: false },
      prefer: { type: "string", default: "none" },
    },
  });
  const { prefer } = values;
  if (prefer !== "none" && prefer !== "last") throw new Error(`--prefer: expected none or last, found ${prefer}`);
  return {
    folder: values.folder,
    resource: values.resource,
    devices: values.device.map(deviceOf),
    node: values.node,
    mount: values.mount,
    preStart: values["pre-start"],
    prefer,
  };
}

function deviceOf(spec: string): DeviceOption {
  const [id = "", ...rest] = spec.split(",");
  const pairs = rest.map((pair) => pair.split("=", 2));
  const unknown = pairs.find(([key]) => key !== "numa" && key !== "health");
  if (id === "" || unknown !== undefined) throw new Error(`--device ${spec}: expected ID[,numa=N][,health=WORD]`);
  const { numa, health = "Healthy" } = Object.fromEntries(pairs) as { numa?: string; health?: string };
  if (numa !== undefined && !/^\d+$/.test(numa)) throw new Error(`--device ${spec}: numa is no number`);
  return { id, health, numa: numa === undefined ? undefined : Number(numa) };
}
