// kubectl as the cluster's administrator.
import { execFile } from "node:child_process";
import { findBinaries } from "./binaries.mjs";

/** The command line of kubectl for this cluster. @throws Error when there is no kubectl */
export function kubectlWords(at) {
  const { kubectl: program } = findBinaries(["kubectl"]);
  if (program === undefined) throw new Error("kubectl is not there: pnpm cluster builds it");
  return [program, "--kubeconfig", at.kubeconfig];
}

/** What it printed. @throws Error with what it said on stderr */
export function kubectl(at, args, input = "") {
  const [program, ...words] = kubectlWords(at);
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...words, ...args],
      { maxBuffer: 2 ** 26, timeout: 120_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(" ")}: ${stderr.trim() || error.message}`));
        else resolve(stdout);
      },
    );
    child.stdin.on("error", () => {}); // kubectl says itself what is wrong
    child.stdin.end(input);
  });
}

export async function kubectlOk(at, ...args) {
  await kubectl(at, args);
  return true;
}
