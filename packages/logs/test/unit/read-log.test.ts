import { appendFile, mkdtemp, open, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type ReadLogOptions, readLog, tailOffset } from "../../src/read-log.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hk-logs-"));
  path = join(folder, "0.log");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

interface Reading {
  text: string;
  ended: boolean;
  readonly stop: AbortController;
  readonly done: ReturnType<typeof readLog>;
}

function read(options: Partial<ReadLogOptions> = {}, format: "cri" | "raw" = "raw"): Reading {
  const stop = new AbortController();
  const reading = { text: "", ended: false, stop } as Reading;
  const log = { path, format, ended: () => reading.ended };
  const all = { follow: false, timestamps: false, ...options };
  const output = (_stream: string, data: Buffer): void => {
    reading.text += data.toString();
  };
  const done = readLog(systemClock, log, all, output, async () => undefined, stop.signal);
  return Object.assign(reading, { done });
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6_000 && !condition(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

test("a whole file is read once and the reading ends", async () => {
  await writeFile(path, "a\nb\n");
  const reading = read();
  await reading.done;
  expect(reading.text).toBe("a\nb\n");
});

test("a file that is not there yet is empty, and followed once it comes", async () => {
  const nothing = read();
  await nothing.done;
  expect(nothing.text).toBe("");
  const following = read({ follow: true });
  await writeFile(path, "born\n");
  await until(() => following.text === "born\n");
  following.ended = true;
  await following.done;
});

test.each([
  { tail: 0, text: "" },
  { tail: 1, text: "c\n" },
  { tail: 2, text: "b\nc\n" },
  { tail: 9, text: "a\nb\nc\n" },
])("the last $tail lines", async ({ tail, text }) => {
  await writeFile(path, "a\nb\nc\n");
  const reading = read({ tail });
  await reading.done;
  expect(reading.text).toBe(text);
});

test("a last line without a newline counts as a line", async () => {
  await writeFile(path, "a\nb\nc");
  const reading = read({ tail: 2 });
  await reading.done;
  expect(reading.text).toBe("b\nc");
});

test("the tail of a file of many blocks is found where a plain count finds it", async () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `${n} ${"x".repeat(n % 37)}\n`);
  await writeFile(path, lines.join(""));
  const file = await open(path);
  const { size } = await file.stat();
  for (const tail of [1, 10, 4_321, 29_999, 30_000, 30_001]) {
    expect(await tailOffset(file, size, tail, "raw")).toBe(size - lines.slice(-tail).join("").length);
  }
  await file.close();
});

test("in a CRI file the parts of one line count as one line", async () => {
  const time = "2016-10-06T00:17:09.669794202Z";
  await writeFile(path, `${time} stdout F a\n${time} stdout P lo\n${time} stdout P n\n${time} stdout F g\n`);
  const reading = read({ tail: 1 }, "cri");
  await reading.done;
  expect(reading.text).toBe("long\n");
});

test("a follow continues through a rotation and loses nothing that was written before it", async () => {
  await writeFile(path, "one\n");
  const reading = read({ follow: true });
  await until(() => reading.text === "one\n");
  await appendFile(path, "two\n");
  await rename(path, `${path}.20261121-100000`);
  await writeFile(path, "three\n");
  await until(() => reading.text === "one\ntwo\nthree\n");
  await appendFile(path, "four\n");
  await until(() => reading.text.endsWith("four\n"));
  reading.ended = true;
  await reading.done;
});

test("a follow starts again when the file is truncated", async () => {
  await writeFile(path, "long enough\n");
  const reading = read({ follow: true });
  await until(() => reading.text === "long enough\n");
  await truncate(path);
  await appendFile(path, "x\n");
  await until(() => reading.text === "long enough\nx\n");
  reading.stop.abort();
  await reading.done;
});

test("a follow ends when the container's output has ended, with the last line", async () => {
  await writeFile(path, "one\n");
  const reading = read({ follow: true });
  await until(() => reading.text === "one\n");
  await appendFile(path, "last\n");
  reading.ended = true;
  await reading.done;
  expect(reading.text).toBe("one\nlast\n");
});

test.each([{ options: { timestamps: true } }, { options: { since: 0 } }])(
  "a raw file refuses $options in clear words",
  async ({ options }) => {
    await writeFile(path, "a\n");
    await expect(read(options).done).rejects.toThrow(/without times/);
  },
);

describe("a read that is ended continues in another one", () => {
  test("nothing is lost and nothing comes twice, whatever is written between and meanwhile", async () => {
    await writeFile(path, "a\nb\n");
    let whole = "";
    let from: ReadLogOptions["from"];
    for (let round = 0; round < 5; round += 1) {
      const over = new AbortController();
      const reading = read({ follow: true, tail: 1, until: over.signal, ...(from !== undefined && { from }) });
      if (round === 0) await until(() => reading.text === "b\n");
      await appendFile(path, `meanwhile ${round}\n`);
      await until(() => reading.text.includes(`meanwhile ${round}\n`));
      over.abort();
      from = await reading.done;
      expect(from).toBeDefined();
      whole += reading.text;
      await appendFile(path, `between ${round}\n`);
    }
    const rounds = [0, 1, 2, 3, 4].flatMap((round) => [`meanwhile ${round}\n`, `between ${round}\n`]);
    expect(whole).toBe(`b\n${rounds.slice(0, -1).join("")}`);
  });

  test("it ends between two lines: one that is half written is waited for", async () => {
    await writeFile(path, "2026-01-01T00:00:00Z stdout F one\n2026-01-01T00:00:01Z stdout F tw");
    const over = new AbortController();
    const reading = read({ follow: true, until: over.signal }, "cri");
    over.abort();
    await until(() => reading.text === "one\ntw");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await appendFile(path, "o\n");
    const from = await reading.done;
    expect(reading.text).toBe("one\ntwo\n");
    await appendFile(path, "2026-01-01T00:00:02Z stdout F three\n");
    const next = read({ ...(from !== undefined && { from }) }, "cri");
    await next.done;
    expect(next.text).toBe("three\n");
  });

  test("with times a line of several records is not torn", async () => {
    const head = "2026-01-01T00:00:00Z stdout";
    await writeFile(path, `${head} P one \n`);
    const over = new AbortController();
    const reading = read({ follow: true, timestamps: true, until: over.signal }, "cri");
    over.abort();
    await until(() => reading.text.endsWith("one "));
    await appendFile(path, `${head} F two\n`);
    await reading.done;
    expect(reading.text).toBe("2026-01-01T00:00:00Z one two\n");
  });

  test("a missing, rotated or truncated file starts again", async () => {
    const over = new AbortController();
    over.abort();
    const none = await read({ follow: true, until: over.signal }).done;
    await writeFile(path, "born\n");
    const first = read({ follow: true, until: over.signal, ...(none !== undefined && { from: none }) });
    const from = await first.done;
    expect(first.text).toBe("born\n");
    await rename(path, `${path}.1`);
    await writeFile(path, "next\n");
    const second = read({ ...(from !== undefined && { from }) });
    await second.done;
    expect(second.text).toBe("next\n");
    await truncate(path, 0);
    await writeFile(path, "x\n");
    const { ino } = await stat(path);
    const third = read({ from: { inode: ino, offset: 1_000 } });
    await third.done;
    expect(third.text).toBe("x\n");
  });

  test("the end of a log is its end", async () => {
    await writeFile(path, "a\n");
    const reading = read({ follow: true });
    reading.ended = true;
    expect(await reading.done).toBeUndefined();
  });
});
