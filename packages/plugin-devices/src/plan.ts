/** `hooklet plan devices -f POD.yaml`: which devices the pod would get now. Plugins are asked what they prefer; nothing is taken. */
import { type Decision, NodeAgentError, type PlanInput } from "@hooklet/core";
import { admitDevices, type TopologyOptions } from "./admission.js";
import { choiceDecision } from "./explain.js";
import type { Choice, DeviceManager, ManagerPorts } from "./manager.js";

const nothing = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };

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
  const copy = manager.copy(
    { ...ports, save: () => {}, allocated: () => {}, chosen: (choice) => choices.push(choice) },
    async () => ({ response: nothing, text: "" }),
  );
  const rejection = await admitDevices(copy, pod, topology);
  const { namespace, name } = pod.metadata;
  const subject = `pod/${namespace}/${name}`;
  return [
    ...choices.map((choice) => ({ ...decision, ...choiceDecision(choice, strategy) })),
    {
      ...decision,
      strategy,
      subject,
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
