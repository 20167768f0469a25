// `npm start`: installs, builds, and runs the example pods on the embedded process runtime. Arguments go to `hooklet run`.
import { spawn } from "node:child_process";
import path from "node:path";
import { installAndBuild, root } from "./pnpm.mjs";

installAndBuild();

const hooklet = path.join(root, "packages/hooklet/bin/hooklet.js");
const config = path.join(root, "examples/hookletrc.yaml");
const rootDir = path.join(root, ".hooklet");
const args = ["run", "--config", config, "--root-dir", rootDir, "--trust-sudo-user", ...process.argv.slice(2)];
const agent = spawn(hooklet, args, { cwd: root, stdio: "inherit" });
// A terminal sends Ctrl-C to the agent as well; it decides when to end.
process.on("SIGINT", () => {});
// So it does when it is closed.
process.on("SIGHUP", () => {});
process.on("SIGTERM", () => agent.kill("SIGTERM"));
agent.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
