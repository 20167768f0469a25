// `npm test`: installs, builds, checks types and style, runs all tests. The last line has the totals. Arguments go to jest: see scripts/jest.mjs.
import { spawn } from "node:child_process";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { installAndBuild, root } from "./pnpm.mjs";
import { step } from "./steps.mjs";

tellHelp(import.meta.url);

await installAndBuild();
await Promise.all([
  check("Types (tsc -p tsconfig.test.json)", "tsc", "-p", "tsconfig.test.json"),
  check("Style (biome check --error-on-warnings .)", "biome", "check", "--error-on-warnings", "."),
]);
const tests = spawn(process.execPath, [path.join(root, "scripts/jest.mjs"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
// They remove what they have started, and this waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => tests.kill(signal));
tests.on("exit", (code) => process.exit(code ?? 1));

function check(title, program, ...args) {
  return step(title, path.join(root, "node_modules/.bin", program), args, {
    cwd: root,
    far: { text: () => "at work" },
  });
}
