/** A node whose answers a test may change at any time. */
import { ImageCollector, type ImagePorts } from "../../../src/image-collector.js";
import type { OrderStrategy } from "../../../src/index.js";
import { type DiskUsage, type ImagePolicy, type ImageUse, lru, type SeenImage } from "../../../src/internal.js";
import { MIB, MINUTE, policy } from "./images.js";

export interface NodeParts {
  readonly images?: readonly SeenImage[];
  readonly policy?: Partial<ImagePolicy>;
  readonly order?: OrderStrategy;
}

export class TestNode implements ImagePorts {
  time = 60 * MINUTE;
  list: readonly SeenImage[];
  users: readonly ImageUse[] = [];
  disk: DiskUsage | Error = { capacityBytes: 1000 * MIB, availableBytes: 0 };
  removing: (id: string) => Promise<boolean> = () => Promise.resolve(true);
  readonly gone: string[] = [];
  readonly faults: string[] = [];
  readonly stop = new AbortController();
  readonly collector: ImageCollector;

  constructor({ images = [], order = lru, ...parts }: NodeParts) {
    this.list = images;
    this.collector = new ImageCollector({
      ports: this,
      policy: policy(parts.policy),
      order,
      signal: this.stop.signal,
    });
  }

  now = () => this.time;
  images = () => Promise.resolve(this.list);
  uses = () => Promise.resolve(this.users);
  usage = () => (this.disk instanceof Error ? Promise.reject(this.disk) : Promise.resolve(this.disk));
  remove = async ({ id }: { readonly id: string }) => {
    if (!(await this.removing(id))) return false;
    this.list = this.list.filter((image) => image.id !== id);
    return true;
  };
  removed = ({ id }: { readonly id: string }) => void this.gone.push(id);
  orderFault = (fault: string) => void this.faults.push(fault);

  async plan(thresholds?: Partial<ImagePolicy>): Promise<readonly string[]> {
    const { outcomes } = await this.collector.plan(thresholds);
    return outcomes.filter(({ verdict }) => verdict === "removed").map(({ image }) => image.id);
  }
}
