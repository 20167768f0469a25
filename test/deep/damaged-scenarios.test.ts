/**
 * 200 scenarios that are damaged are refused with what is wrong, or run to their end: no stack trace, no hang. All in one process, which
 * does for each what that of `hooklet simulate` does; some by the command itself.
 */
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { inputOf } from "../../fuzz/mutate.js";
import { root } from "../sources.js";
import { binary } from "../support/agent.js";

const DAMAGED = 200;
const BY_THE_COMMAND = 3;
const LIMIT = 600_000;
/** A scenario that runs for two minutes of a node takes a second; on a machine with other work ten. */
const HANGS = 60_000;
const ODD = /\n {4}at |TypeError|ReferenceError|RangeError|Internal|unhandled/;

interface Said {
  readonly name: string;
  readonly milliseconds: number;
  readonly refused?: string;
  readonly unexpected?: string;
  readonly ran?: { readonly problems: readonly string[]; readonly failures: readonly Failure[] };
}

/** A step that could not be done, or an expectation that did not come true. */
interface Failure {
  readonly path: string;
  readonly what: string;
  readonly difference: string;
}

const scratch = mkdtempSync(path.join(tmpdir(), "hooklet-damaged-"));
const folder = path.join(scratch, "examples/scenarios");
const names = Array.from({ length: DAMAGED }, (_, index) => `damaged-${index}.yaml`);
let all: readonly Said[];

function runAll(): Promise<readonly Said[]> {
  const program = path.join(root, "test/support/damaged-runs.mjs");
  const child = spawn(process.execPath, [program, folder, ...names], { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    const lines: Said[] = [];
    let rest = "";
    let stderr = "";
    let watch = setTimeout(() => undefined, 0);
    const wait = (): void => {
      clearTimeout(watch);
      watch = setTimeout(() => child.kill("SIGKILL"), HANGS);
    };
    wait();
    child.stdout.on("data", (data: Buffer) => {
      const parts = `${rest}${data}`.split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((line) => JSON.parse(line) as Said));
      wait();
    });
    child.stderr.on("data", (data: Buffer) => {
      stderr += data;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(watch);
      if (code === 0 && stderr === "") resolve(lines);
      else reject(new Error(`after ${lines.at(-1)?.name} it ended with ${code}: ${stderr}`));
    });
  });
}

beforeAll(async () => {
  for (const part of ["scenarios", "strategies"]) {
    cpSync(path.join(root, "examples", part), path.join(scratch, "examples", part), { recursive: true });
  }
  const whole = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const seeds = whole.map((name) => readFileSync(path.join(folder, name)));
  for (const [index, name] of names.entries()) {
    writeFileSync(path.join(folder, name), inputOf(18, seeds.length + index, seeds));
  }
  all = await runAll();
}, LIMIT);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("each of 200 is refused with what is wrong, or run to its end", () => {
  expect(all.map(({ name }) => name)).toEqual(names);
  expect(all.filter(({ unexpected }) => unexpected !== undefined)).toEqual([]);
  const refused = all.flatMap((one) => one.refused ?? []);
  for (const text of refused) {
    expect(text).toMatch(/^The (scenario|configuration) .*fault/);
    expect(text).not.toMatch(ODD);
  }
  for (const { ran } of all) {
    const failures = (ran?.failures ?? []).flatMap(({ what, difference }) => [what, difference]);
    for (const text of [...(ran?.problems ?? []), ...failures]) expect(text).not.toMatch(ODD);
  }
  // Of both there are enough.
  expect(refused.length).toBeGreaterThan(DAMAGED / 2);
  expect(refused.length).toBeLessThan(DAMAGED);
});

interface Command {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function simulate(name: string): Promise<Command> {
  const words = ["simulate", path.join(folder, name), "--until", "2m", "-o", "junit"];
  return promisify(execFile)(process.execPath, [binary, ...words]).then(
    (said) => ({ code: 0, ...said }),
    (error: Command) => error,
  );
}

function fromXml(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

test(
  "the command says the same of those that are refused, and ends with 1",
  async () => {
    const chosen = all.filter(({ refused }) => refused !== undefined).slice(0, BY_THE_COMMAND);
    for (const { name, refused } of chosen) {
      const { code, stdout, stderr } = await simulate(name);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(refused);
      expect(stderr).not.toMatch(ODD);
    }
  },
  LIMIT,
);

test(
  "of those that run it reports each failed step and expectation, and ends with 1 if there is one",
  async () => {
    const ran = all.flatMap((one) => (one.ran === undefined ? [] : [{ name: one.name, failures: one.ran.failures }]));
    const failed = ran.filter(({ failures }) => failures.length > 0).slice(0, BY_THE_COMMAND);
    const fine = ran.filter(({ failures }) => failures.length === 0).slice(0, 1);
    expect([failed.length, fine.length]).toEqual([BY_THE_COMMAND, 1]);
    for (const { name, failures } of [...failed, ...fine]) {
      const { code, stdout, stderr } = await simulate(name);
      expect({ name, code }).toEqual({ name, code: failures.length > 0 ? 1 : 0 });
      expect(stdout).toMatch(/^<\?xml.*\n<testsuites?\b/);
      for (const { path: step, what, difference } of failures) {
        expect(stderr).toContain(step);
        for (const text of [stderr, fromXml(stdout)]) expect(text).toContain(`${what}: ${difference}`);
      }
      expect(stdout.match(/<failure /g)?.length ?? 0).toBe(failures.length);
      expect(stderr).not.toMatch(ODD);
    }
  },
  LIMIT,
);
