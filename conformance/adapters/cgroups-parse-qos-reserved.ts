import { errorText } from "@hooklet/core";
import { parseQosReserved } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf } from "./cgroups.js";

interface Input {
  /** As on the kubelet's command line: `memory=50%,...`. */
  readonly text?: string;
  readonly map?: Readonly<Record<string, string>>;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["text", "map"]);
    try {
      return { error: false, reservations: parseQosReserved(input.map ?? pairs(input.text ?? "")) };
    } catch (error) {
      return { error: true, error_text: errorText(error), reservations: null };
    }
  },
  part: partOf,
};

function pairs(text: string): Record<string, string> {
  const parts = text.split(",").filter((part) => part !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf("=");
      if (at === -1) throw new Error(`malformed pair, expect string=string: ${part}`);
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
}
