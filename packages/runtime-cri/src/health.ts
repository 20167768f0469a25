import type { WireCondition } from "./wire.js";

/** What is wrong by the runtime's own conditions, in the kubelet's words; undefined when nothing is. */
export function healthText(conditions: readonly WireCondition[]): string | undefined {
  const required = [
    ["RuntimeReady", "container runtime not ready"],
    ["NetworkReady", "container runtime network not ready"],
  ] as const;
  const wrong = required.flatMap(([type, text]) => {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status === true) return [];
    const { reason, message } = condition ?? { reason: "missing", message: `the runtime does not tell ${type}` };
    return [`${text}: ${type}=false reason:${reason} message:${message}`];
  });
  return wrong.length === 0 ? undefined : wrong.join(", ");
}
