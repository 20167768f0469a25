// Not the strict one: values of another realm, as jest has it, have other prototypes.
import assert from "node:assert";
import { during } from "@hooklet/sim";
import { aPod } from "../builders.js";
import { PluginOptionsError } from "../load-for-test.js";
import { A_WHILE, type PluginSuite, Subject } from "./plugin-suite.js";

/** Registers one check. */
export type PluginCheck = (rule: string, run: () => Promise<void>) => void;

/** The ten checks that every plugin passes. */
export function pluginChecks<Options>(suite: PluginSuite<Options>, register: PluginCheck): void {
  /** A check on a fresh node; the agent is always stopped at the end. */
  const check = (rule: string, run: (subject: Subject<Options>) => Promise<unknown>): void =>
    register(rule, async () => {
      const subject = await Subject.make(suite);
      try {
        await run(subject);
      } finally {
        await subject.agent.stop();
      }
    });

  check("starts with empty options, and asks nothing of the runtime while it starts", async (subject) => {
    await subject.start({});
    assert.deepEqual(subject.errors, []);
    // Values that do not change while the runtime runs may be cached.
    assert.deepEqual(
      subject.runtimeCalls.filter((call) => call !== "facts"),
      [],
    );
  });

  const unknown = { name: "an option that does not exist", options: { noSuchOption: 1 }, field: "noSuchOption" };
  for (const { name, options, field } of [...(suite.badOptions ?? []), unknown]) {
    check(`refuses bad options, naming the field: ${name}`, async (subject) => {
      const refusal = await subject.start(options).catch((error: unknown) => error);
      assert.ok(refusal instanceof PluginOptionsError, `expected a refusal, found ${String(refusal)}`);
      assert.ok(
        refusal.fields.includes(field),
        `expected ${field} among the fields, found ${refusal.fields.join(", ")}`,
      );
    });
  }

  check("survives a runtime that refuses every call, and works again once it is mended", async (subject) => {
    await subject.start();
    subject.isRefused = true;
    await subject.run();
    await subject.terminate();
    subject.isRefused = false;
    await subject.agent.advance(A_WHILE);
    subject.forgive();
    await subject.run();
    await subject.terminate();
    assert.deepEqual(subject.errors, []);
  });

  check("leaves no timer behind when it stops, also with pods running", async (subject) => {
    const { agent } = subject;
    await subject.start();
    await subject.run();
    await agent.stop();
    // Containers may have timers.
    await agent.runtime.start();
    for (const { id } of await agent.runtime.listSandboxes()) await agent.runtime.stopSandbox(id);
    assert.strictEqual(agent.clock.pending, 0);
  });

  check("may be stopped twice", async (subject) => {
    await subject.start();
    await subject.run();
    await subject.agent.stop();
    await during(subject.agent.clock, "The second stop of the plugin", (async () => subject.instance.stop?.())());
    assert.deepEqual(subject.errors, []);
  });

  check("knows after a restart what it has to remember", async (subject) => {
    const { agent } = subject;
    const remembered = () =>
      during(agent.clock, "What the plugin remembers", (async () => suite.remembered?.(agent))());
    await subject.start();
    await subject.run();
    const before = await remembered();
    await agent.restart();
    const after = await remembered();
    // Clones are of one realm.
    assert.deepStrictEqual(structuredClone(after), structuredClone(before));
    assert.deepEqual(subject.errors, []);
  });

  check("does not change what it is given: pods, events and verdicts are frozen", async (subject) => {
    await subject.start();
    await subject.run();
    await subject.terminate();
    assert.deepEqual(subject.errors, []);
  });

  check("never throws from tick, not even while the runtime refuses every call", async (subject) => {
    await subject.start();
    await subject.run();
    subject.isRefused = true;
    await subject.agent.advance(A_WHILE);
    subject.isRefused = false;
    assert.deepEqual(
      subject.errors.filter(({ err }) => err?.hook?.startsWith("tick")),
      [],
    );
  });

  check("changes nothing in the runtime from tick to tick while nothing happens", async (subject) => {
    const { agent } = subject;
    await subject.start();
    await agent.apply(aPod({ name: "idle" }));
    await agent.advance(A_WHILE);
    const before = agent.runtime.writes;
    await agent.advance(A_WHILE);
    assert.strictEqual(agent.runtime.writes, before);
  });

  check("works when it is started with pods that run already", async (subject) => {
    const { agent, pods } = subject;
    await agent.start();
    await subject.run();
    await subject.start();
    assert.strictEqual(agent.api.pods().length, pods.length);
    await agent.advance(A_WHILE);
    await subject.terminate();
    await subject.run();
    await subject.terminate();
    assert.deepEqual(subject.errors, []);
  });
}
