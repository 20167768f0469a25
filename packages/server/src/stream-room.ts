/** How many streams a door has at once, and for how long. */
import { type Clock, NodeAgentError, type Timer } from "@hooklet/core/base";
import { type LineStream, lineStream } from "./line-stream.js";
import type { StreamLimits } from "./surfaces.js";

export class StreamRoom {
  #open = 0;

  constructor(
    private readonly limits: StreamLimits,
    private readonly clock: Clock,
  ) {}

  /** A stream that ends by itself when nothing was sent for too long, or when its time is over. @throws NodeAgentError BUSY */
  open(): LineStream {
    const { atOnce, idle, total } = this.limits;
    if (this.#open >= atOnce) {
      const text = `${atOnce} streams are open here: expected fewer. End one of them, or ask again later.`;
      throw new NodeAgentError("BUSY", text);
    }
    let quiet: Timer | undefined;
    const stream = lineStream(() => {
      if (idle === undefined) return;
      quiet?.cancel();
      quiet = this.clock.schedule(idle, () => stream.end());
    });
    const over = total === undefined ? undefined : this.clock.schedule(total, () => stream.end());
    this.#open += 1;
    stream.signal.addEventListener("abort", () => {
      this.#open -= 1;
      quiet?.cancel();
      over?.cancel();
    });
    return stream;
  }
}
