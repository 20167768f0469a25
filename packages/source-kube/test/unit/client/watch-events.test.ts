import { expect, test } from "@jest/globals";
import { watchEvents } from "../../../src/client/watch-events.js";

async function eventsOf(...chunks: readonly string[]): Promise<readonly unknown[]> {
  async function* buffers(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const found: unknown[] = [];
  for await (const event of watchEvents("pods", buffers())) found.push(event);
  return found;
}

const event = (name: string) => ({ type: "ADDED", object: { metadata: { name } } });
const line = (name: string) => `${JSON.stringify(event(name))}\n`;

test("each line is an event, wherever the chunks end; empty lines and one that is not ended are none", async () => {
  const text = `${line("a")}\n  \n${line("b")}${line("c")}`;
  const expected = [event("a"), event("b"), event("c")];
  for (let cut = 0; cut <= text.length; cut++)
    expect(await eventsOf(text.slice(0, cut), text.slice(cut))).toEqual(expected);
  expect(await eventsOf(line("a"), line("b").slice(0, -1))).toEqual([event("a")]);
});

test("a line of more than 16 MiB is refused before it has ended", async () => {
  const mebibyte = "x".repeat(1024 * 1024);
  await expect(eventsOf(...Array(17).fill(mebibyte))).rejects.toThrow(/pods: an event is longer than 16777216 bytes/);
});
