import { collectOutput, execCommand } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";
import { type LongText, longText } from "./probes.js";

interface Input {
  readonly stdout?: LongText;
  readonly stderr?: LongText;
  readonly limit?: number;
  readonly err?: string | null;
  readonly command?: readonly string[];
  readonly env?: { name: string; value?: string }[];
}

export const adapter: Adapter<Input> = {
  keys: ["stdout", "limit", "err", "command", "env"],
  run({ stdout = "", stderr = "", limit, err = null, command, env = [] }) {
    if (command !== undefined) return { command: execCommand(command, env) };
    const [out, error] = [stdout, stderr].map((text) => Buffer.from(longText(text)));
    return { collected: collectOutput(out as Buffer, error as Buffer, limit), err };
  },
  expected: (expected: { readonly collected?: LongText }) =>
    expected.collected === undefined ? expected : { ...expected, collected: longText(expected.collected) },
};
