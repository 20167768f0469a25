/** From and to the messages of the wire. Pure; received messages may lack any field. */

import type { MessageTypeDefinition } from "@grpc/proto-loader";
import type { AllocateResponse, Device, PluginOptions } from "../device/device.js";
import type { ResponseCodec } from "../manager/ports.js";
import type { Question } from "../strategies/allocation.js";
import { definitions } from "./definitions.js";

export interface WireDevice {
  readonly ID: string;
  readonly health: string;
  readonly topology: { readonly nodes: readonly { readonly ID: number }[] } | null;
}

export interface WireResponse {
  readonly envs: Readonly<Record<string, string>>;
  readonly mounts: AllocateResponse["mounts"];
  readonly devices: AllocateResponse["devices"];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly { readonly name: string }[];
}

export function deviceOf({ ID, health, topology }: WireDevice): Device {
  return { id: ID, health, nodes: [...new Set(topology?.nodes.map((node) => node.ID))] };
}

export function optionsOf(wire: object): PluginOptions {
  const { preStartRequired, getPreferredAllocationAvailable } = wire as PluginOptions;
  return { preStartRequired, getPreferredAllocationAvailable };
}

export function responseOf({ envs, mounts, devices, annotations, cdiDevices }: WireResponse): AllocateResponse {
  return { envs, mounts, devices, annotations, cdiDevices: cdiDevices.map(({ name }) => name) };
}

/** The message of GetPreferredAllocation. */
export function preferredRequest({ available, mustInclude, size }: Question) {
  return {
    containerRequests: [{ availableDeviceIDs: available, mustIncludeDeviceIDs: mustInclude, allocationSize: size }],
  };
}

export const responseCodec: ResponseCodec = {
  encode({ envs, mounts, devices, annotations, cdiDevices }) {
    const wire = {
      envs,
      mounts: mounts.map(withoutDefaults),
      devices: devices.map(withoutDefaults),
      annotations,
      cdiDevices: cdiDevices.map((name) => withoutDefaults({ name })),
    };
    return allocateResponse().serialize(wire).toString("base64");
  },
  decode(encoded) {
    const bytes = Buffer.from(encoded, "base64");
    return responseOf(allocateResponse().deserialize(bytes) as WireResponse);
  },
};

function allocateResponse(): MessageTypeDefinition<object, object> {
  return definitions()["v1beta1.ContainerAllocateResponse"] as MessageTypeDefinition<object, object>;
}

/** What a Go program leaves out of the bytes: empty texts and false. */
function withoutDefaults(message: object): object {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== "" && value !== false));
}
