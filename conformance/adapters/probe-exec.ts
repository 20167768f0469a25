import { collectOutput, execVerdict } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";
import { type LongText, longText } from "./probes.js";

interface Input {
  readonly output: LongText;
  readonly outcome: {
    readonly type: "none" | "exit" | "error" | "timeout";
    readonly status?: number;
    readonly text?: string;
  };
  readonly gate_ExecProbeTimeout?: boolean;
}

export const adapter: Adapter<Input> = {
  keys: ["output", "outcome", "gate_ExecProbeTimeout"],
  run({ output, outcome, gate_ExecProbeTimeout: gate = true }) {
    const { type, status = 0, text = "" } = outcome;
    const collected = collectOutput(Buffer.from(longText(output)), Buffer.alloc(0));
    // Without the gate, which is gone from new kubelets, a timeout was an error as any other.
    const isTimeout = type === "timeout" && gate;
    const verdict = execVerdict(
      collected,
      isTimeout
        ? { type: "timeout", text }
        : type === "error" || type === "timeout"
          ? { type: "error", text }
          : { type: "exit", status },
    );
    return { result: verdict.result, output: verdict.output, error: verdict.error !== undefined };
  },
  expected: (expected: { readonly output: LongText }) => ({ ...expected, output: longText(expected.output) }),
};
