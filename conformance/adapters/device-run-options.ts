import { type AllocateResponse, type RunOptions, runOptions } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, only, sorted } from "./devices.js";

interface RawResponse {
  readonly envs?: Readonly<Record<string, string>>;
  readonly devices?: readonly (readonly [container: string, host: string, permissions: string])[];
  readonly mounts?: readonly (readonly [container: string, host: string, readOnly: boolean])[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cdi?: readonly string[];
}

export function toResponse({
  envs = {},
  devices = [],
  mounts = [],
  annotations = {},
  cdi = [],
  ...rest
}: RawResponse): AllocateResponse {
  knownKeys(rest, []);
  return {
    envs,
    devices: devices.map(([containerPath, hostPath, permissions]) => ({ containerPath, hostPath, permissions })),
    mounts: mounts.map(([containerPath, hostPath, readOnly]) => ({ containerPath, hostPath, readOnly })),
    annotations,
    cdiDevices: cdi,
  };
}

/** Lists are sets; a mount is shown as the runtime gets it. */
export const adapter: Adapter<{ readonly responses: Readonly<Record<string, RawResponse>> }> = {
  keys: ["responses"],
  run({ responses, ...rest }) {
    knownKeys(rest, []);
    const options = runOptions(Object.values(responses).map(toResponse));
    return options === undefined ? { options: null } : shown(options);
  },
  expected: ({ note, ...expected }: { readonly note?: string; readonly cdi_devices?: readonly string[] }) => ({
    ...expected,
    ...(expected.cdi_devices === undefined ? {} : { cdi_devices: sorted(expected.cdi_devices) }),
  }),
  part: only,
};

function shown({ envs, mounts, devices, annotations, cdiDevices }: RunOptions): object {
  return {
    cdi_devices: sorted(cdiDevices),
    devices,
    mounts: mounts.map(({ containerPath, hostPath, readOnly }) => ({
      name: containerPath,
      containerPath,
      hostPath,
      readOnly,
      selinuxRelabel: false,
    })),
    envs,
    annotations,
    counts: { envs: envs.length, devices: devices.length, mounts: mounts.length, annotations: annotations.length },
  };
}
