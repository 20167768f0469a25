import { NodeAgentError } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { eventLine } from "../../../../cli/src/print/event-table.js";
import { anEvent } from "../../../../server/test/samples.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { createLogger, type LogFormat, TROUBLES_AND_CHANGES } from "../../../src/run/logger.js";
import { fakeIo } from "../../binary.js";

const FORGED = "probe failed\n12:00:00.000 INFO: audit: delete pod default/web: done; by uid 0\r\u001b[2K";

async function logged(
  format: LogFormat,
  tell: (log: Awaited<ReturnType<typeof createLogger>>) => void,
  level = "info",
): Promise<string> {
  let text = "";
  tell(
    await createLogger(fakeIo(), format, level, (line) => {
      text += line;
    }),
  );
  return text;
}

const controls = (text: string): readonly string[] => [...text].filter((one) => one < " " && one !== "\n");

test("a line break in a message cannot begin a log line of its own", async () => {
  const text = await logged("text", (log) => log.warn(FORGED));
  expect(text.match(/\n/g)).toHaveLength(1);
  expect(text).toContain("probe failed\\n12:00:00.000 INFO: audit");
  expect(controls(text)).toEqual([]);
});

test("neither in an error that goes along: its lines are set in", async () => {
  const text = await logged("text", (log) => log.error({ err: new Error(FORGED) }, `step failed: ${FORGED}`));
  for (const line of text.trimEnd().split("\n").slice(1)) expect(line).toMatch(/^\s/);
  expect(text).not.toMatch(/^12:00:00\.000 INFO/m);
  expect(controls(text)).toEqual([]);
});

test("an error of the agent's own, which says what to do, comes without a stack; what caused one keeps its own", async () => {
  const own = new NodeAgentError("UNSUPPORTED", "there are no cgroups here");
  const said = await logged("text", (log) => log.warn({ err: own }, "no statistics"));
  expect(said).toMatch(/: no statistics: there are no cgroups here\n$/);
  expect(said).not.toContain("logger.test");
  const caused = new NodeAgentError("PLUGIN_START", "plugin x failed", { cause: new TypeError("bug") });
  const text = await logged("text", (log) => log.warn({ err: caused }, "plugin"));
  expect(text).toContain("TypeError: bug");
  expect(text).toContain("logger.test");
});

test("an error that throws when it is read, and one of megabytes, are logged all the same, in bounds", async () => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error("trap");
      },
    },
  );
  const tapped = new NodeAgentError("TAP_FAILED", "plugin x failed", { cause: trap });
  for (const format of ["text", "json"] as const) {
    expect(await logged(format, (log) => log.error({ err: tapped }, "tap"))).toContain("plugin x failed");
    expect(await logged(format, (log) => log.error({ err: trap }, "tap"))).toContain("something that has no text");
    const long = await logged(format, (log) => log.error({ err: new Error("x".repeat(5_000_000)) }, "tap"));
    expect(long.length).toBeLessThan(300_000);
    const heavy = Object.assign(new Error("with a body"), { body: "x".repeat(5_000_000), code: "E" });
    const cut = await logged(format, (log) => log.error({ err: heavy }, "tap"));
    expect(cut).toContain("with a body");
    expect(cut.length).toBeLessThan(300_000);
  }
});

test("JSON lines are one record a line, whatever is in them", async () => {
  const text = await logged("json", (log) => log.error({ err: new Error(FORGED) }, FORGED));
  expect(text.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(text)).toMatchObject({ level: 50, err: { type: "Error" } });
});

test("the line of an event is one line", () => {
  const line = eventLine({ ...anEvent("web", "Unhealthy"), message: FORGED });
  expect(controls(line)).toEqual([]);
  expect(line).not.toContain("\n");
  expect(line).toContain("probe failed\\n12:00:00.000");
});

test("repeats within a minute are logged once, and then counted; lines that are no trouble are always logged", async () => {
  const clock = new VirtualClock();
  let text = "";
  const log = await createLogger({ ...fakeIo(), clock }, "text", "info", (line) => {
    text += line;
  });
  const tell = (): void => log.child({ plugin: "x" }).warn({ err: new Error("no disk") }, "tick failed");
  for (let second = 0; second < 60; second += 1) {
    tell();
    log.info("all the same");
    await clock.advance(1_000);
  }
  expect([text.match(/tick failed/g)?.length, text.match(/all the same/g)?.length]).toEqual([1, 60]);
  log.child({ plugin: "y" }).warn("tick failed");
  tell();
  expect(text).toContain("tick failed (and 59 more times)");
  expect(text.match(/tick failed/g)).toHaveLength(3);
});

test("how often a line was repeated stands behind its words, also where they are all that is logged", async () => {
  const clock = new VirtualClock();
  let text = "";
  const log = await createLogger({ ...fakeIo(), clock }, "json", "info", (line) => {
    text += line;
  });
  for (const _ of [1, 2, 3]) {
    log.warn("no disk");
    log.error(new Error("no words"));
  }
  await clock.advance(59_999);
  log.warn("no disk");
  await clock.advance(1);
  log.warn("no disk");
  log.error(new Error("no words"));
  log.warn("no disk");
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly msg: string });
  expect(records.map(({ msg }) => msg)).toEqual(["no disk", "no words", "no disk (and 3 more times)", "no words"]);
});

test("of 500 different lines the oldest is forgotten, and said again", async () => {
  const text = await logged("json", (log) => {
    for (let n = 0; n < 500; n += 1) log.warn(`trouble ${n}`);
    log.warn("trouble 0");
    log.warn("trouble 500");
    log.warn("trouble 1");
    log.warn("trouble 0");
  });
  const all = text.trimEnd().split("\n");
  expect(all.length).toBe(502);
  expect(all.slice(-2).map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(["trouble 500", "trouble 0"]);
});

test.each<LogFormat>(["text", "json"])(
  "beside a table, %s: troubles and each change are there, sessions and what goes well are not",
  async (format) => {
    const change = { what: "delete pod default/web", outcome: "done", ok: true, by: "uid 0", isSession: false };
    const text = await logged(
      format,
      (log) => {
        log.info("went well");
        log.child({ part: "a" }).info("went well");
        log.info({ audit: change }, "audit: delete pod default/web");
        log.info({ audit: { ...change, isSession: true } }, "audit: exec in pod default/web");
        log.warn("went wrong");
      },
      TROUBLES_AND_CHANGES,
    );
    expect(text.trimEnd().split("\n")).toEqual([
      expect.stringContaining("audit: delete pod default/web"),
      expect.stringContaining("went wrong"),
    ]);
  },
);
