import { type Command, Option } from "commander";
import type { RunOptions } from "../commands/run.js";
import { type Perform, sub } from "./parts.js";

export function declareRun(root: Command, perform: Perform): void {
  sub(
    root,
    "run",
    "Run the agent in the foreground. Ctrl-C stops the pods and ends; on SIGTERM the pods run on.",
    "run --manifests ./manifests",
    "run --config /etc/hooklet/hooklet.config.yaml --log-format json",
    "run --manifests ./manifests --once --timeout 60s",
  )
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option("--manifests <dir>", "folder of pod manifests, watched; or one file")
    .option("--runtime <name>", "runtime: process, cri, a package or a file")
    .option("--kubeconfig <file>", "become a node of the cluster that this kubeconfig names")
    .option(
      "--bootstrap-kubeconfig <file>",
      "with a token that may ask for the first certificate, while --kubeconfig is not there",
    )
    .option("--trust-sudo-user", "files of the user who called sudo count as root's own")
    .option("--node-name <name>", "name of the node (default: the host name)")
    .option("--port <number>", "HTTP port on 127.0.0.1 for health and metrics, 0 = none (default: 10248)")
    .option("--once", "end when every pod is Ready or has ended: 0, or 1 if any failed")
    .option("--timeout <duration>", "longest time for --once", "120s")
    .addOption(new Option("--log-format <format>", "log lines instead of the live table").choices(["text", "json"]))
    .addOption(
      new Option(
        "--log-level <level>",
        "lowest level that is logged (default: info; beside the live table warn, and each change through the socket)",
      ).choices(["trace", "debug", "info", "warn", "error"]),
    )
    .action((options: RunOptions) =>
      perform(async (context) => (await import("../commands/run.js")).run(context, options)),
    );
}
