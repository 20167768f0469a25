/** Selects the events of a runtime: the CRI's, else containerd's own, else none. The only place that depends on a runtime's name. */

import { type CallError, Code } from "../call-error.js";
import type { Streams } from "../wire.js";
import { containerdEvents } from "./containerd.js";
import { criEvents } from "./cri.js";
import type { EventPorts, EventSource } from "./source.js";

/** A runtime without a call refuses it at once; one that has it is silent until something happens. Milliseconds. */
const REFUSES_WITHIN = 300;
/** containerd that has the call finds fault with this filter instead, at once. */
const NO_FILTER = "==";

export async function chooseEvents(ports: EventPorts, runtimeName: string): Promise<EventSource | undefined> {
  if ((await firstWord(ports, "GetContainerEvents", {})) === "silent") return criEvents;
  if (runtimeName !== "containerd") return undefined;
  const end = await firstWord(ports, "Subscribe", { filters: [NO_FILTER] });
  return end === Code.UNIMPLEMENTED ? undefined : containerdEvents;
}

/** The code that ends the stream soon, if anything does. */
function firstWord({ client, clock }: EventPorts, rpc: keyof Streams, request: object): Promise<number | "silent"> {
  return new Promise((resolve) => {
    const settle = (answer: number | "silent"): void => {
      timer.cancel();
      cancel();
      resolve(answer);
    };
    const timer = clock.schedule(REFUSES_WITHIN, () => settle("silent"));
    const ended = (error: CallError | undefined): void => settle(error?.code ?? Code.OK);
    const cancel = client.stream(rpc, request, { data: () => settle("silent"), ended });
  });
}
