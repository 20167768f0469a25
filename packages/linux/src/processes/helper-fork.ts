/** Starts helper processes: without the agent's environment, and without keeping the agent from ending. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @param execArgv options of Node */
export function forkHelper(module: URL, execArgv: readonly string[] = []): ChildProcess {
  const child = fork(built(module), [], {
    // A process group of its own: a Ctrl-C of the terminal is for the agent, which still needs its helpers to stop the pods.
    detached: true,
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    execArgv: [...execArgv],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

/** Tests run the sources, which a subprocess cannot: it runs the build. */
function built(module: URL): string {
  const file = fileURLToPath(module);
  return existsSync(file) ? file : file.replace("/src/", "/dist/");
}
