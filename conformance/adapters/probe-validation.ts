import { probeFaults } from "@hooklet/core/internal";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly kind: "liveness" | "readiness" | "startup";
  readonly probe: object | null;
}

interface Fault {
  readonly field: string;
  readonly type: string;
  readonly detail?: string;
}

const types: Readonly<Record<string, string>> = {
  "Required value": "Required",
  "Invalid value": "Invalid",
  "Unsupported value": "NotSupported",
  Forbidden: "Forbidden",
};

/** `field: Type value: "value": detail`; the field is empty for the probe itself. */
const FAULT =
  /^(?:([A-Za-z.[\]0-9]*): )?(Required value|Invalid value|Unsupported value|Forbidden)(?:: ((?:"(?:[^"\\]|\\.)*"|-?\d+))(?=$|: ))?(?:: (.*))?$/s;

export const adapter: Adapter<Input> = {
  keys: ["kind", "probe"],
  run({ kind, probe }) {
    const faults = probe === null ? [] : probeFaults(`${kind}Probe`, probe);
    return faults.map((message) => {
      const match = FAULT.exec(message);
      if (match === null) throw new Error(`no fault of the known form: ${message}`);
      const [, field = "", type = "", , detail = ""] = match;
      return { field, type: types[type], detail };
    });
  },
  /** Where a case tells no detail, it also counts several faults of one field as one. */
  part(answer: readonly Fault[], { errors }: { readonly errors: readonly Fault[] }) {
    const vague = errors.some(({ detail }) => detail === undefined);
    if (!vague) return { errors: answer };
    const seen = new Set<string>();
    const kept = answer.filter(({ field, type }) => !seen.has(`${field} ${type}`) && seen.add(`${field} ${type}`));
    return { errors: kept.map(({ field, type }) => ({ field, type })) };
  },
  expected: ({ errors }: { readonly errors: readonly (Fault & { readonly reason?: string })[] }) => ({
    errors: errors.map(({ reason: _, ...fault }) => fault),
  }),
};
