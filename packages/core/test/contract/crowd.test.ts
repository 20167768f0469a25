/** Many pods at once: what each of them costs before its sandbox must not delay the first containers. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { LoadedPlugin } from "../../src/plugin/loaded.js";
import { TestNode } from "../agent/node.js";
import { manifest, plugin } from "./plugin.js";

const COUNT = 40;
const SANDBOX_MILLISECONDS = 100;

let here: TestNode;
/** In the order of happening: `prepare NAME`, `sandbox NAME`, `start`. */
let told: string[];

beforeEach(() => {
  told = [];
});
afterEach(() => here.remove());

/** Sandboxes take their time; before each of them the plugin asks `before` to be awaited. */
async function crowd(before: (name: string) => Promise<void>, manifests: readonly string[]): Promise<void> {
  const prepares: LoadedPlugin = plugin("prepares", ({ hooks }) =>
    hooks.podAdmit.tap((verdict, { pod }) =>
      verdict.beforeSandbox(() => {
        told.push(`prepare ${pod.metadata.name}`);
        return before(pod.metadata.name);
      }),
    ),
  );
  here = new TestNode({ plugins: [prepares] });
  const { runtime, clock } = here;
  runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  const runSandbox = runtime.runSandbox.bind(runtime);
  runtime.runSandbox = async (config, ...rest) => {
    await new Promise<void>((resolve) => clock.schedule(SANDBOX_MILLISECONDS, resolve));
    told.push(`sandbox ${config.metadata.name}`);
    return runSandbox(config, ...rest);
  };
  const startContainer = runtime.startContainer.bind(runtime);
  runtime.startContainer = (id) => {
    told.push("start");
    return startContainer(id);
  };
  await here.start();
  await here.manifest("crowd.yaml", manifests.join("\n---\n"));
}

const names = Array.from({ length: COUNT }, (_, i) => `p${i}`);
const running = (): number => here.agent.api.pods().filter(({ status }) => status?.phase === "Running").length;

describe("a crowd of pods", () => {
  test("each is prepared in its turn: the first container starts before more than a handful are", async () => {
    await crowd(
      async () => {},
      names.map((name) => manifest(name)),
    );
    await here.clock.advance(10_000);
    expect(running()).toBe(COUNT);
    const preparedBefore = (what: string): number =>
      told.slice(0, told.indexOf(what)).filter((line) => line.startsWith("prepare ")).length;
    expect(preparedBefore("start")).toBeLessThanOrEqual(3);
    // At any time no more are prepared and without a sandbox than sandboxes are made at once.
    let ahead = 0;
    for (const line of told) {
      if (line.startsWith("prepare ")) ahead++;
      if (line.startsWith("sandbox ")) ahead--;
      expect(ahead).toBeLessThanOrEqual(4);
    }
  });

  test("one whose preparation takes long leaves its turn to the others, and gets its sandbox once it is prepared", async () => {
    const slow = new Set(names.slice(0, 8));
    const before = (name: string): Promise<void> =>
      new Promise((resolve) =>
        slow.has(name.replace("-node1", "")) ? here.clock.schedule(20_000, resolve) : resolve(),
      );
    await crowd(
      before,
      names.map((name) => manifest(name)),
    );
    await here.clock.advance(10_000);
    expect(running()).toBe(COUNT - slow.size);
    await here.clock.advance(15_000);
    expect(running()).toBe(COUNT);
  });

  test("critical pods go first, then those of higher priority, however late they stand in the set", async () => {
    const urgent = { priority: 1000 };
    const critical = { priority: 2_000_001_000 };
    await crowd(async () => {}, [
      ...names.map((name) => manifest(name, { priority: 0 })),
      manifest("urgent", urgent),
      manifest("critical", critical),
    ]);
    await here.clock.advance(10_000);
    const sandboxes = told.filter((line) => line.startsWith("sandbox "));
    const at = (name: string): number => sandboxes.findIndex((line) => line.startsWith(`sandbox ${name}`));
    expect(at("critical")).toBeLessThanOrEqual(1);
    expect(at("urgent")).toBeLessThanOrEqual(2);
  });
});
