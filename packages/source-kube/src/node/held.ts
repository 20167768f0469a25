/** Whether this agent has had the node, kept over its restarts: what its last life left is its own to end, and nothing else is. */
import type { NodeContext } from "@hooklet/core";

export interface HeldPorts {
  readonly checkpoint: ReturnType<NodeContext["checkpoint"]>;
  readonly nodeName: string;
  /** URL of the API server, or the kubeconfig where there is none yet. */
  server(): Promise<string>;
  report(where: string, error: unknown): void;
}

export class Held {
  constructor(private readonly ports: HeldPorts) {}

  /** This node of this cluster: with another node.name or kubeconfig an agent has not held what it sees another one hold. */
  async read(): Promise<boolean> {
    try {
      const held = await this.ports.checkpoint.read();
      return typeof held === "string" && held === (await this.#what());
    } catch (error) {
      this.ports.report("tenure of the node", error);
      return false;
    }
  }

  write(isHeld: boolean): void {
    const { checkpoint, report } = this.ports;
    const writing = isHeld ? this.#what().then((what) => checkpoint.write(what)) : checkpoint.write(false);
    writing.catch((error: unknown) => report("tenure of the node", error));
  }

  async #what(): Promise<string> {
    const { nodeName, server } = this.ports;
    return `node ${nodeName} of ${await server()}`;
  }
}
