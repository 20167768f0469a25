// `npm start`: installs, builds, and runs the example pods on the embedded process runtime. Arguments go to `hooklet run`, whose own help is
// `packages/hooklet/bin/hooklet.js run --help`.
import { spawn } from "node:child_process";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { installAndBuild, root } from "./pnpm.mjs";
import { endTogether } from "./steps.mjs";

tellHelp(import.meta.url);

await installAndBuild();

const hooklet = path.join(root, "packages/hooklet/bin/hooklet.js");
const config = path.join(root, "examples/hookletrc.yaml");
const rootDir = path.join(root, ".hooklet");
const args = ["run", "--config", config, "--root-dir", rootDir, "--trust-sudo-user", ...process.argv.slice(2)];
const agent = spawn(hooklet, args, { cwd: root, stdio: "inherit" });
// A terminal sends Ctrl-C to the agent as well, and tells it when it is closed: it decides when to end.
let isTold = false;
endTogether((signal) => {
  if (signal === "SIGTERM") agent.kill("SIGTERM");
  // No terminal is left that could end it.
  if (signal === undefined && !isTold) agent.kill(process.stdout.isTTY ? "SIGHUP" : "SIGTERM");
  isTold = true;
});
agent.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
