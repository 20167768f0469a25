import { expect, test } from "@jest/globals";
import { nodePorts } from "../../src/node-ports.js";

test.each<{ when: string; stops: boolean; logged: readonly string[] }>([
  { when: "while the agent runs", stops: false, logged: ["info a remark", "error a failure"] },
  { when: "while the agent stops", stops: true, logged: ["info a remark", "info a failure"] },
])("what a round could not do is logged $when: $logged", ({ stops, logged }) => {
  const lines: string[] = [];
  const level = (name: string) => (first: unknown, text?: string) => void lines.push(`${name} ${text ?? first}`);
  const stop = new AbortController();
  const ctx = { signal: stop.signal, log: { info: level("info"), error: level("error") } };
  const { note } = nodePorts({ ctx, options: {}, metrics: {}, shown: {} } as never);
  if (stops) stop.abort();
  note("a remark");
  note("a failure", new Error("gone"));
  expect(lines).toEqual(logged);
});
