/** `hooklet plan devices -f POD.yaml`: the devices that the pod would get now. Plugins are asked for their preference; nothing is allocated. */
import { type Decision, NodeAgentError, type PlanInput, podSubject } from "@hooklet/core";
import { admitDevices, silent, type TopologyOptions } from "./admission.js";
import { dryRunManager, takingNothing } from "./dry-run-manager.js";
import { choiceDecision } from "./explain.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { Choice, ManagerPorts } from "./manager/ports.js";

export async function planDevices(
  { pod }: PlanInput,
  manager: DeviceManager,
  ports: ManagerPorts,
  topology: TopologyOptions,
  strategy: string,
  decision: { readonly at: number; readonly plugin: string },
): Promise<readonly Decision[]> {
  if (pod === undefined) {
    throw new NodeAgentError("INVALID", "plan devices: expected a pod (-f POD.yaml), found none");
  }
  const choices: Choice[] = [];
  const rejection = await admitDevices(
    dryRunManager(manager, ports, (choice) => choices.push(choice)),
    pod,
    takingNothing(topology),
    silent,
  );
  return [
    ...choices.map((choice) => ({ ...decision, ...choiceDecision(choice, strategy) })),
    {
      ...decision,
      strategy,
      subject: podSubject(pod),
      considered: [],
      outcome:
        rejection === undefined
          ? choices.length === 0
            ? "would be admitted: it asks for no device that a plugin has"
            : "would be admitted"
          : `would be rejected: ${rejection.reason}: ${rejection.message}`,
    },
  ];
}
