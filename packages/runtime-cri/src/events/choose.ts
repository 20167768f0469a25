/** Which events a runtime has: the CRI's, else containerd's own, else none. The only place that asks for a runtime's name. */

import type { Streams } from "../wire.js";
import { containerdEvents } from "./containerd.js";
import { criEvents } from "./cri.js";
import type { EventPorts, EventSource } from "./source.js";

/** A runtime without a call refuses it at once; one that has it is silent until something happens. Milliseconds. */
const REFUSES_WITHIN = 300;

export async function chooseEvents(ports: EventPorts, runtimeName: string): Promise<EventSource | undefined> {
  if (await offers(ports, "GetContainerEvents", {})) return criEvents;
  if (runtimeName === "containerd" && (await offers(ports, "Subscribe", { filters: ["topic==none"] })))
    return containerdEvents;
  return undefined;
}

/** Any end of the stream is a no: events that come and go are worse than none. */
function offers({ client, clock }: EventPorts, rpc: keyof Streams, request: object): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (answer: boolean): void => {
      timer.cancel();
      cancel();
      resolve(answer);
    };
    const timer = clock.schedule(REFUSES_WITHIN, () => settle(true));
    const cancel = client.stream(rpc, request, { data: () => settle(true), ended: () => settle(false) });
  });
}
