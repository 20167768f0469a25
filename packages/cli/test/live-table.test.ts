import type { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { anEvent, aPod, FakeAgent } from "../../server/test/fake-agent.js";
import { VirtualClock } from "../../testkit/src/virtual-clock.js";
import type { Io } from "../src/io.js";
import { LiveTable } from "../src/run/live-table.js";
import { fakeIo } from "./cli.js";

function terminal(): { io: Io; clock: VirtualClock; out: { text: string } & EventEmitter; err: { text: string } } {
  const clock = new VirtualClock({ start: Date.UTC(2026, 10, 21, 10) });
  const io = { ...fakeIo({ NO_COLOR: "1" }), clock };
  Object.assign(io.stdout, { isTTY: true, columns: 60, rows: 20 });
  return { io, clock, out: io.stdout, err: io.stderr };
}

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";

test("the cursor is hidden while the table lives and given back, once", () => {
  const { io, out } = terminal();
  const table = new LiveTable(io, new FakeAgent());
  table.start();
  expect(out.text.startsWith(HIDE)).toBe(true);
  table.stop();
  table.stop();
  expect(out.text.split(SHOW)).toHaveLength(2);
});

test("it is drawn again when pods and events change, once for changes that come together", async () => {
  const { io, clock, out } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const table = new LiveTable(io, api);
  table.start();
  out.text = "";
  api.setPods([aPod("web"), aPod("db")]);
  api.emit(anEvent("db", "Started"));
  await clock.advance(50);
  expect(out.text.match(/NAME/g)).toHaveLength(1);
  expect(out.text).toContain("db");
  expect(out.text).toContain("Started of db");
  table.stop();
  expect([clock.pending, api.listeners, out.listenerCount("resize")]).toEqual([0, 0, 0]);
});

test("a log line stands above the table, which is drawn again", () => {
  const { io, out, err } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const table = new LiveTable(io, api);
  table.start();
  out.text = "";
  table.print("trouble\n");
  expect(err.text).toBe("trouble\n");
  expect(out.text).toContain("web");
  table.stop();
  table.print("after\n");
  expect(err.text).toBe("trouble\nafter\n");
});

test("a new size of the terminal is heeded at once", () => {
  const { io, out } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web"), aPod("db"), aPod("queue")]);
  const table = new LiveTable(io, api);
  table.start();
  out.text = "";
  Object.assign(out, { columns: 20, rows: 4 });
  out.emit("resize");
  expect(out.text).toContain("… 3 more pods");
  expect(out.text).toContain("NAME    READY   STA…");
  table.stop();
});
