import { findPort } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly port: unknown;
  readonly ports: { readonly name: string; readonly containerPort: number }[];
}

export const adapter: Adapter<Input> = {
  run: ({ port, ports }) => findPort(port, ports),
  part: ({ value, error }: { value?: number; error?: string }, expected: { error: unknown }) => ({
    value: value ?? null,
    // `true` stands for any error.
    error: expected.error === true ? error !== undefined : (error ?? null),
  }),
};
