// Builds the device plugin of the Kubernetes node tests from Go modules, and prints the program's path.
// It needs Go; the first build loads its modules (about a minute), later ones come from Go's cache.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./pnpm.mjs";

const VERSION = "v1.36.3";
const PACKAGE = "k8s.io/kubernetes/test/images/sample-device-plugin";
const folder = path.join(root, "node_modules/.cache/hooklet-sample-device-plugin", VERSION);
const program = path.join(folder, "sample-device-plugin");
const env = {
  ...process.env,
  GOFLAGS: "-mod=mod -buildvcs=false",
  GOWORK: "off",
  GOTOOLCHAIN: "local",
  CGO_ENABLED: "0",
};

function go(...args) {
  return execFileSync("go", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** The staging modules of Kubernetes are folders that its module does not contain: their published versions stand in. */
function module() {
  const { GoMod: file } = JSON.parse(go("mod", "download", "-json", `k8s.io/kubernetes@${VERSION}`));
  const lines = readFileSync(file, "utf8").split("\n");
  const staging = lines.flatMap((line) => /^\s*(?:replace )?(\S+) => \.\/staging\//.exec(line)?.[1] ?? []);
  const language = lines.find((line) => line.startsWith("go "));
  const replaced = [...new Set(staging)].sort().map((name) => `replace ${name} => ${name} v0${VERSION.slice(2)}`);
  return ["module sample", language, `require k8s.io/kubernetes ${VERSION}`, ...replaced, ""].join("\n");
}

if (!existsSync(program)) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path.join(folder, "go.mod"))) {
    writeFileSync(path.join(folder, "go.mod"), "module sample\n");
    writeFileSync(path.join(folder, "go.mod"), module());
  }
  go("build", "-ldflags", "-s -w", "-o", program, PACKAGE);
}
console.log(program);
