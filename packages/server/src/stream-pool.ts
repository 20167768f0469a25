/** How many streams an endpoint has at once, and for how long. */
import { type Clock, NodeAgentError } from "@hooklet/utils";
import type { StreamLimits } from "./endpoints.js";
import { type LineStream, lineStream } from "./line-stream.js";

/** Of a stream. */
export interface StreamSlot {
  /** To be called with each value that goes out. */
  sent(): void;
  /** @param end is called when nothing was sent for too long, or when its time is over; @param over aborted once it has ended */
  held(end: () => void, over: AbortSignal): void;
}

export class StreamPool {
  #open = 0;

  constructor(
    private readonly limits: StreamLimits,
    private readonly clock: Clock,
  ) {}

  /** A stream that ends by itself, by `end` where there is one. @throws NodeAgentError BUSY */
  open(end?: () => void): LineStream {
    const slot = this.slot();
    const stream = lineStream(() => slot.sent());
    slot.held(end ?? (() => stream.end()), stream.signal);
    return stream;
  }

  /** For a stream of another kind. @throws NodeAgentError BUSY */
  slot(): StreamSlot {
    const { atOnce, idle, total } = this.limits;
    const { clock } = this;
    if (this.#open >= atOnce) {
      const text = `${atOnce} streams are open here: expected fewer. End one of them, or ask again later.`;
      throw new NodeAgentError("BUSY", text);
    }
    let end = (): void => undefined;
    let quiet = clock.schedule(idle, () => end());
    return {
      sent: () => {
        quiet.cancel();
        quiet = clock.schedule(idle, () => end());
      },
      held: (given, over) => {
        end = given;
        const late = clock.schedule(total, given);
        this.#open += 1;
        over.addEventListener("abort", () => {
          this.#open -= 1;
          end = () => undefined;
          quiet.cancel();
          late.cancel();
        });
      },
    };
  }
}
