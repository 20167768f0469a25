import { defaultProbe } from "@hooklet/core/internal";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly probe?: object;
  readonly httpGet?: { readonly port: number };
  readonly grpc?: { readonly port: number };
}

export const adapter: Adapter<Input> = {
  keys: ["probe", "httpGet", "grpc"],
  run({ probe, httpGet, grpc }) {
    const defaulted = defaultProbe({ ...probe, ...(httpGet && { httpGet }), ...(grpc && { grpc }) });
    if (httpGet) return { httpGet: defaulted.httpGet };
    if (grpc) return { grpc: defaulted.grpc };
    return { probe: { initialDelaySeconds: 0, ...defaulted } };
  },
};
