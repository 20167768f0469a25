// Kubernetes' metrics-server, for the story of `kubectl top`: built from Go modules once and kept. Prints where it is, and its RBAC manifest.
//   node scripts/metrics-server.mjs
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cacheFolder, goIsThere } from "./cluster/binaries.mjs";

const VERSION = "v0.9.0";
const MODULE = "sigs.k8s.io/metrics-server";

const folder = path.join(path.dirname(cacheFolder()), `metrics-server-${VERSION}`);
const program = path.join(folder, "metrics-server");
const rbac = path.join(folder, "rbac.yaml");
if (!existsSync(program)) build();
console.log(JSON.stringify({ program, rbac }));

/** @throws Error when it cannot be built, saying what to install */
function build() {
  if (!goIsThere())
    throw new Error(`${program} is not there, and Go, which would build it, is not installed: install Go`);
  mkdirSync(folder, { recursive: true });
  const { GoMod, Dir } = JSON.parse(go("mod", "download", "-json", `${MODULE}@${VERSION}`));
  const [line] = /^go .*$/m.exec(readFileSync(GoMod, "utf8"));
  const module = ["module hooklet.dev/metrics-server", line, `require ${MODULE} ${VERSION}`];
  writeFileSync(path.join(folder, "go.mod"), `${module.join("\n")}\n`);
  writeFileSync(rbac, readFileSync(path.join(Dir, "manifests/base/rbac.yaml")));
  const half = `${program}.${process.pid}`;
  go("build", "-ldflags", "-s -w", "-o", half, `${MODULE}/cmd/metrics-server`);
  renameSync(half, program);
}

/** Runs Go and gives what it printed; its errors go to the terminal. */
function go(...args) {
  const env = { ...process.env, GOFLAGS: "-mod=mod -buildvcs=false", GOTOOLCHAIN: "local", GOWORK: "off" };
  return execFileSync("go", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
