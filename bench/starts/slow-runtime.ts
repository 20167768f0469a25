/**
 * A runtime that does one thing at a time and takes as long for it as a containerd on a small machine: what is late here is the
 * agent's doing. It writes down when each container started.
 */
import { appendFileSync } from "node:fs";
import { defineRuntime } from "@hooklet/core/host";
import { SimulatedRuntime } from "@hooklet/sim";
import { z } from "zod";

const options = z.strictObject({
  /** Milliseconds. */
  sandbox: z.number(),
  create: z.number(),
  start: z.number(),
  /** Absolute path of the file with a line for each start: milliseconds since the epoch. */
  reported: z.string(),
});

export default defineRuntime<z.infer<typeof options>>({
  meta: { name: "slow", api: 1 },
  options,
  create({ clock }, { sandbox, create, start, reported }) {
    let last = Promise.resolve();
    const work = (milliseconds: number): Promise<void> => {
      last = last.then(() => new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve)));
      return last;
    };
    class Slow extends SimulatedRuntime {
      override async runSandbox(...args: Parameters<SimulatedRuntime["runSandbox"]>): Promise<string> {
        await work(sandbox);
        return super.runSandbox(...args);
      }

      override async createContainer(...args: Parameters<SimulatedRuntime["createContainer"]>): Promise<string> {
        await work(create);
        return super.createContainer(...args);
      }

      override async startContainer(id: string): Promise<void> {
        await work(start);
        await super.startContainer(id);
        appendFileSync(reported, `${clock.now()}\n`);
      }
    }
    const runtime = new Slow({ clock });
    runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    return runtime;
  },
});
