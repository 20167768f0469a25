// Not the strict one: values of another realm, as jest has it, have other prototypes.
import assert from "node:assert";
import { aPod } from "../builders.js";
import { PluginOptionsError } from "../test-plugin/options.js";
import type { TestPlugin } from "../test-plugin/test-plugin.js";
import { A_WHILE, type PluginSuite, Subject } from "./suite.js";

/** Registers one check. */
export type PluginCheck = (rule: string, run: () => Promise<void>) => void;

/** The ten checks that every plugin passes. */
export function pluginChecks<Options>(suite: PluginSuite<Options>, register: PluginCheck): void {
  const subject = new Subject(suite);
  const { pods } = subject;
  /** A check that ends with the plugin stopped, whatever it finds. */
  const check = (rule: string, begin: () => Promise<TestPlugin>, run: (plugin: TestPlugin) => Promise<unknown>): void =>
    register(rule, async () => {
      const plugin = await begin();
      try {
        await run(plugin);
      } finally {
        await plugin.stop();
      }
    });
  const fresh = (): Promise<TestPlugin> => subject.start();
  const busy = (): Promise<TestPlugin> => subject.busy();

  const withDefaults = (): Promise<TestPlugin> => subject.start({ options: {} });
  check("starts with empty options, and asks nothing of the runtime while it starts", withDefaults, async (plugin) => {
    assert.deepEqual(plugin.errors, []);
    // What does not change while the runtime runs may be asked once.
    assert.deepEqual(
      plugin.runtimeCalls.filter((call) => call !== "facts"),
      [],
    );
  });

  const unknown = { name: "an option that does not exist", options: { noSuchOption: 1 }, field: "noSuchOption" };
  for (const { name, options, field } of [...suite.badOptions, unknown]) {
    register(`refuses bad options, naming the field: ${name}`, async () => {
      const refusal = await subject.start({ options }).then(
        (plugin) => plugin.stop(),
        (error: unknown) => error,
      );
      assert.ok(refusal instanceof PluginOptionsError, `expected a refusal, found ${String(refusal)}`);
      assert.ok(
        refusal.fields.includes(field),
        `expected ${field} among the fields, found ${refusal.fields.join(", ")}`,
      );
    });
  }

  check("survives a runtime that refuses every call, and works again once it is mended", fresh, async (plugin) => {
    plugin.breakRuntime(true);
    await subject.live(plugin);
    plugin.breakRuntime(false);
    await plugin.advance(A_WHILE);
    plugin.errors.length = 0;
    await subject.live(plugin);
    assert.deepEqual(plugin.errors, []);
  });

  check("leaves no timer behind when it stops, also with pods running", busy, async (plugin) => {
    await plugin.stop();
    for (const pod of pods) await plugin.terminate(pod);
    assert.strictEqual(plugin.clock.pending, 0);
  });

  check("may be stopped twice", busy, async (plugin) => {
    await plugin.stop();
    await plugin.during((async () => plugin.instance.stop?.())());
    assert.deepEqual(plugin.errors, []);
  });

  check("knows after a restart what it has to remember", busy, async (plugin) => {
    const before = await suite.remembered?.(plugin);
    const next = await plugin.restart();
    const after = await suite.remembered?.(next);
    await next.stop();
    // Clones are of one realm.
    assert.deepStrictEqual(structuredClone(after), structuredClone(before));
    assert.deepEqual([...plugin.errors, ...next.errors], []);
  });

  check("does not change what it is given: pods, events and verdicts are frozen", fresh, async (plugin) => {
    await subject.live(plugin);
    assert.deepEqual(plugin.errors, []);
  });

  check("never throws from tick, not even while the runtime refuses every call", busy, async (plugin) => {
    plugin.breakRuntime(true);
    await plugin.advance(A_WHILE);
    plugin.breakRuntime(false);
    const thrown = plugin.errors.filter((error) => "hook" in error && String(error.hook).startsWith("tick"));
    assert.deepEqual(thrown, []);
  });

  check("changes nothing in the runtime from tick to tick while nothing happens", fresh, async (plugin) => {
    await plugin.run(aPod({ name: "idle" }));
    await plugin.advance(A_WHILE);
    const before = plugin.runtime.writes;
    await plugin.advance(A_WHILE);
    assert.strictEqual(plugin.runtime.writes, before);
  });

  const beside = (): Promise<TestPlugin> => subject.start({ pods });
  check("works when it is started with pods that run already", beside, async (plugin) => {
    assert.strictEqual(plugin.pods.list().length, pods.length);
    await plugin.advance(A_WHILE);
    for (const pod of pods) await plugin.terminate(pod);
    await subject.live(plugin);
    assert.deepEqual(plugin.errors, []);
  });
}
