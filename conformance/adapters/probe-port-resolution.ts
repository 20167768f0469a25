import { findPort, type PortFound } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly port: unknown;
  readonly ports: { readonly name: string; readonly containerPort: number }[];
}

export const adapter: Adapter<Input> = {
  keys: ["port", "ports"],
  run: ({ port, ports }) => findPort(port, ports),
  part: ({ value, error }: PortFound, expected: { readonly value: unknown; readonly error: unknown }) => ({
    // Null stands for any value, where there is an error.
    value: expected.value === null && error !== undefined ? null : value,
    // `true` stands for any error.
    error: expected.error === true ? error !== undefined : (error ?? null),
  }),
};
