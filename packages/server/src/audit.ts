/** Who changed what through the control socket: told to the agent, which has it in its log and among its events. */
import { errorText } from "@hooklet/core/base";
import type { FastifyRequest } from "fastify";
import { Peers } from "./peers.js";
import type { ServerContext } from "./server-context.js";

export class Audit {
  readonly #peers: Peers;

  constructor(private readonly context: ServerContext) {
    this.#peers = new Peers(context.clock);
  }

  /**
   * Does the work, and tells of it whether it went well or not. Never holds the answer up: who it was may be told a moment later.
   * @param what was asked for, without secrets
   * @param outcome what came of it, where that says more
   */
  async of<T>(
    request: Pick<FastifyRequest, "raw">,
    what: string,
    work: () => Promise<T>,
    outcome: (result: T) => string = () => "done",
  ): Promise<T> {
    const by = this.#peers.of(request.raw.socket);
    const tell = (text: string, ok: boolean): void => {
      void by.then((who) => this.context.api.audit({ what, outcome: text, ok, by: who }));
    };
    try {
      const result = await work();
      tell(outcome(result), true);
      return result;
    } catch (error) {
      tell(`refused: ${errorText(error)}`, false);
      throw error;
    }
  }
}
