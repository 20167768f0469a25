/** Whether this agent has had the node, kept over its restarts: what its last life left is its own to end, and nothing else is. */
import type { NodeContext } from "@hooklet/core";
import type { KeptState } from "@hooklet/core/subsystem";
import type { NodeLease } from "./node-lease.js";

export interface OwnershipPorts {
  readonly nodeLease: Pick<NodeLease, "acts" | "isDisputed" | "watch">;
  readonly checkpoint: ReturnType<NodeContext["checkpoint"]>;
  readonly nodeName: string;
  /** URL of the API server, or the kubeconfig where there is none yet. */
  server(): Promise<string>;
  report(where: string, error: unknown): void;
}

export class NodeOwnership {
  /** Another agent of this node's name, while it lives. */
  holder: string | undefined;
  #hasHeld = false;
  /** The node and cluster that this agent has; false: none. */
  #what: string | false = false;
  readonly #kept: KeptState<string | false>;

  constructor(private readonly ports: OwnershipPorts) {
    this.#kept = ports.checkpoint.keep<string | false>({
      value: () => this.#what,
      schema: (z) => z.union([z.string(), z.literal(false)]),
      failed: (error) => ports.report("lease of the node", error),
    });
  }

  /** This agent, or an earlier one, has held the node, and no other agent took it except while this one was silent. */
  get hasHeld(): boolean {
    return this.#hasHeld;
  }

  /** Reads what an earlier life has held, and follows the lease from now on. */
  async open(): Promise<void> {
    const { nodeLease } = this.ports;
    this.#hasHeld = await this.#read();
    nodeLease.watch(() => {
      const now = nodeLease.acts || (this.#hasHeld && !nodeLease.isDisputed);
      if (now === this.#hasHeld) return;
      this.#hasHeld = now;
      this.#write();
    });
  }

  /** This node of this cluster: with another node.name or kubeconfig an agent has not held what it sees another one hold. */
  async #read(): Promise<boolean> {
    try {
      const held = await this.#kept.read();
      return held !== undefined && held === (await this.#node());
    } catch (error) {
      this.ports.report("lease of the node", error);
      return false;
    }
  }

  #write(): void {
    const node = this.#hasHeld ? this.#node() : Promise.resolve(false as const);
    node
      .then((what) => {
        this.#what = what;
        return this.#kept.saved();
      })
      .catch((error: unknown) => this.ports.report("lease of the node", error));
  }

  async #node(): Promise<string> {
    const { nodeName, server } = this.ports;
    return `node ${nodeName} of ${await server()}`;
  }
}
