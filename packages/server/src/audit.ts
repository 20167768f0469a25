/** Who changed what through the control socket: told to the agent, which has it in its log and among its events. */
import { errorText } from "@hooklet/core/base";
import type { Change } from "@hooklet/core/host";
import type { FastifyRequest } from "fastify";
import { Peers } from "./peers.js";
import type { ServerContext } from "./server-context.js";

type Request = Pick<FastifyRequest, "raw">;

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
  of<T>(request: Request, what: string, work: () => Promise<T>, outcome?: (result: T) => string): Promise<T> {
    return this.#told(request, { what, isSession: false }, work, outcome);
  }

  /** As `of`, for what lets somebody into a pod and changes nothing of the node. */
  session<T>(request: Request, what: string, work: () => Promise<T>): Promise<T> {
    return this.#told(request, { what, isSession: true }, work);
  }

  async #told<T>(
    request: Request,
    about: Pick<Change, "what" | "isSession">,
    work: () => Promise<T>,
    outcome: (result: T) => string = () => "done",
  ): Promise<T> {
    const by = this.#peers.of(request.raw.socket);
    const tell = (text: string, ok: boolean): void => {
      void by.then((who) => this.context.api.audit({ ...about, outcome: text, ok, by: who }));
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
