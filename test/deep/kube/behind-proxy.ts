/** A node that reaches the API server through a proxy that can misbehave, and a namespace for what runs there. */
import { Place } from "./cluster.js";
import { FaultyProxy } from "./faulty-proxy.js";
import { HookletNode } from "./nodes.js";

export class BehindProxy {
  private constructor(
    readonly proxy: FaultyProxy,
    readonly node: HookletNode,
    readonly place: Place,
  ) {}

  static async create(namespace: string): Promise<BehindProxy> {
    const proxy = await FaultyProxy.start("worker1");
    const node = await HookletNode.create("worker1", { server: proxy.url });
    try {
      await node.start();
      return new BehindProxy(proxy, node, await Place.create(namespace));
    } catch (error) {
      await node.remove().finally(() => proxy.stop());
      throw error;
    }
  }

  async remove(): Promise<void> {
    this.proxy.end();
    await this.place
      .remove()
      .finally(() => this.node.remove())
      .finally(() => this.proxy.stop());
  }
}
