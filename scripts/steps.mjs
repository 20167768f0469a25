// A step of `npm start`, `npm test` and the like: says what it does and how far it is, and does not outlive who asked for it.
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** Milliseconds between two lines that say how far a step is, and between two checks of the parent. */
const TELL_EVERY = 5_000;
const LOOK_EVERY = 500;
/** As it was when this program began: by the time that a step runs, npm may be gone. */
const PARENT = process.ppid;
const ENDINGS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Runs a command; ends this process with its exit code when it fails, and with it when this process gets a signal to end.
 * @param title said at once
 * @param far what is said of it every few seconds, beside the seconds; it gets the lines of the command's output and takes those that are for it
 */
export async function step(title, command, args, { cwd, far }) {
  console.error(title);
  const began = Date.now();
  const child = spawn(command, args, { cwd, stdio: ["inherit", far.hears ? "pipe" : "inherit", "inherit"] });
  // SIGTERM: npx hands no SIGHUP on.
  const release = endTogether((signal = "SIGTERM") => {
    child.kill(signal);
    process.exit(ENDINGS[signal]);
  });
  const telling = setInterval(() => {
    console.error(`${title.split(" ")[0]}: ${[`${Math.round((Date.now() - began) / 1000)} s`, far.text()].join(", ")}`);
  }, TELL_EVERY);
  child.stdout?.setEncoding("utf8");
  let rest = "";
  child.stdout?.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) if (!far.hears(line)) process.stdout.write(`${line}\n`);
  });
  const stop = () => child.kill();
  process.once("exit", stop);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  clearInterval(telling);
  process.off("exit", stop);
  release();
  if (rest !== "" && !far.hears?.(rest)) process.stdout.write(`${rest}\n`);
  if (code !== 0) process.exit(code);
}

/**
 * Calls `end` with each signal that ends a program, and without one when npm, which started this one, is gone: killed, or with the
 * session that it was in. Returns what ends that.
 */
export function endTogether(end) {
  const listeners = Object.keys(ENDINGS).map((signal) => [signal, () => end(signal)]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const looking =
    process.env.npm_lifecycle_event === undefined
      ? undefined
      : setInterval(() => {
          if (process.ppid === PARENT) return;
          clearInterval(looking);
          end();
        }, LOOK_EVERY);
  looking?.unref();
  return () => {
    clearInterval(looking);
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

const STATUS =
  /Projects in this build:|^\s+\* \S+\.json$|^\S.*(?:Building project|Project '.*' is (?:up to|out of) date|Updating (?:unchanged )?output timestamps of project)/;

/** How far `tsc --build --verbose` is, by its own lines; those that say nothing else are taken. */
export function buildProgress() {
  let projects = 0;
  let done = 0;
  let current = "";
  return {
    hears(painted) {
      const line = stripVTControlCharacters(painted).trimEnd();
      if (line.trim() === "") return true;
      if (/^\s+\* /.test(line)) projects += 1;
      const isDone = /Project '.*' is up to date/.test(line);
      const [, building] = /Building project '(.*)'/.exec(line) ?? [];
      if (isDone || building !== undefined) done += 1;
      if (building !== undefined) current = folderOf(building);
      return STATUS.test(line);
    },
    text: () => (current === "" ? "looking what is to be built" : `${done} of ${projects} parts (${current})`),
  };
}

function folderOf(file) {
  const names = file.split("/").slice(0, -1);
  const at = names.findLastIndex((name) => ["packages", "examples"].includes(name));
  return at < 0 ? (names.at(-1) ?? "") : names.slice(at).join("/");
}
