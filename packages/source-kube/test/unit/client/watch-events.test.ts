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

test.each([
  [
    "what is no JSON",
    "{",
    { reason: "BadEvent", message: "pods: an event is no JSON", cause: expect.any(SyntaxError) },
  ],
  [
    "an unknown type, which is shown at most in part",
    `{"type":"${"x".repeat(200)}"}`,
    { reason: "BadEvent", message: `pods: expected an event of a watch, found {"type":"${"x".repeat(71)}` },
  ],
  ["an object without a name", '{"type":"ADDED","object":{"metadata":{}}}', { reason: "BadEvent" }],
  ["no object", '{"type":"DELETED"}', { reason: "BadEvent" }],
  ["a name that is no text", '{"type":"MODIFIED","object":{"metadata":{"name":1}}}', { reason: "BadEvent" }],
  [
    "an error of the server",
    '{"type":"ERROR","object":{"code":410,"reason":"Expired","message":"too old"}}',
    { status: 410, reason: "Expired", message: "pods was ended by the server: too old" },
  ],
])("%s is an error", async (_name, text, expected) => {
  await expect(eventsOf(`${text}\n`)).rejects.toMatchObject({ status: 0, ...expected });
});

test("the four kinds of events are taken; a bookmark needs no name", async () => {
  const all = ["ADDED", "MODIFIED", "DELETED"].map((type) => ({ type, object: { metadata: { name: "a" } } }));
  const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } };
  expect(await eventsOf([...all, bookmark].map((one) => `${JSON.stringify(one)}\n`).join(""))).toEqual([
    ...all,
    bookmark,
  ]);
});

test("a line of 16 MiB is taken, over several chunks, and the next one is counted from zero", async () => {
  const half = " ".repeat(8 * 1024 * 1024);
  expect(await eventsOf(half, half, "\n", half, half, `\n${line("a")}`)).toEqual([event("a")]);
});
