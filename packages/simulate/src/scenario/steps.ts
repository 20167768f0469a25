/** Names in the steps that must be known: operations, resources, devices. Pure. */
import { type ValueFault, wordFault } from "@hooklet/config";
import { nearest } from "@hooklet/manifest";
import { operationNames, operationOf } from "./operation-names.js";
import type { ScenarioFile } from "./schema.js";

export function stepFaults({ devices, timeline }: ScenarioFile): readonly ValueFault[] {
  const resources = Object.keys(devices);
  return timeline.flatMap(({ fault, delay, device, devicePlugin }, index) => {
    const faults: ValueFault[] = [];
    const unknown = (path: readonly string[], expected: string, found: string, known: readonly string[]): void => {
      faults.push(wordFault(["timeline", index, ...path], expected, JSON.stringify(found), nearest(found, known)));
    };
    for (const [key, one] of [["fault", fault] as const, ["delay", delay] as const]) {
      if (one === undefined || operationOf(one.op) !== undefined) continue;
      unknown([key, "op"], `an operation of the runtime (${operationNames.join(", ")})`, one.op, operationNames);
    }
    for (const [key, one] of [["device", device] as const, ["devicePlugin", devicePlugin] as const]) {
      if (one === undefined || resources.includes(one.resource)) continue;
      unknown([key, "resource"], "a resource of devices", one.resource, resources);
    }
    const ids = device === undefined ? [] : (devices[device.resource] ?? []).map(({ id }) => id);
    if (device !== undefined && ids.length > 0 && !ids.includes(device.id)) {
      unknown(["device", "id"], `a device of ${device.resource}`, device.id, ids);
    }
    return faults;
  });
}
