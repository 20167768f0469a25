/** Audits changes through the control socket: the agent writes them to its log and its events. */

import type { Socket } from "node:net";
import type { ApplyResult } from "@hooklet/core/base";
import type { Change } from "@hooklet/core/host";
import { errorText } from "@hooklet/utils";
import { Peers } from "./peers.js";
import type { ServerContext } from "./server-context.js";

export class Audit {
  readonly #peers: Peers;

  constructor(private readonly context: ServerContext) {
    this.#peers = new Peers(context.clock);
  }

  /** Does the work, and records it whether it succeeds or not. Never delays the answer: the client's identity may be recorded a moment later. */
  async of<T>(
    { socket }: { readonly socket: Socket },
    about: Pick<Change, "what" | "isSession">,
    work: () => Promise<T>,
  ): Promise<T> {
    const by = this.#peers.of(socket);
    const tell = (text: string, ok: boolean): void => {
      void by.then((who) => this.context.api.audit({ ...about, outcome: text, ok, by: who }));
    };
    try {
      const result = await work();
      tell(about.isSession ? "started" : outcomeOf(result), true);
      return result;
    } catch (error) {
      tell(`${about.isSession ? "failed" : "refused"}: ${errorText(error)}`, false);
      throw error;
    }
  }
}

/** Of an apply, what became of each thing. */
function outcomeOf(result: unknown): string {
  if (!Array.isArray(result)) return "done";
  return (result as readonly ApplyResult[]).map(({ subject, action }) => `${subject} ${action}`).join(", ");
}
