/** Commands that reach into containers. */
import { NodeAgentError } from "@hooklet/utils";
import type { Command } from "commander";
import type { CpOptions } from "../commands/cp.js";
import type { ExecOptions } from "../commands/exec.js";
import type { PortForwardOptions } from "../commands/port-forward.js";
import { withDashes } from "../kubectl-habits.js";
import { containerOption, namespaceOption, type Perform, sub } from "./parts.js";

export function declareInside(root: Command, perform: Perform): void {
  root.commandsGroup("Reach into containers:");
  sub(
    root,
    "exec",
    "Run a command in a container, and exit with its exit code.",
    "exec web -- ls /",
    "exec -it web -- sh",
  )
    .usage("[options] <pod> -- <command> [arguments...]")
    .argument("<pod>", "NAME or pod/NAME")
    .argument("[command...]", "command and its arguments, after --")
    .addOption(containerOption())
    .addOption(namespaceOption())
    .option("-i, --stdin", "pass standard input to the command")
    .option("-t, --tty", "give the command a terminal")
    .action((pod: string, command: string[], options: ExecOptions) =>
      perform(async (context) => {
        const hint = withDashes((root as Command & { rawArgs: readonly string[] }).rawArgs, command);
        if (hint !== undefined) throw new NodeAgentError("INVALID", hint);
        return (await import("../commands/exec.js")).exec(context, pod, command, options);
      }),
    );

  sub(root, "attach", "Show the output of a container from now on.", "attach web", "attach web -c sidecar")
    .argument("<pod>", "NAME or pod/NAME")
    .addOption(containerOption())
    .addOption(namespaceOption())
    .option("-i, --stdin", "not supported: containers have no open input")
    .option("-t, --tty", "not supported")
    .action((pod: string, options: ExecOptions) =>
      perform(async (context) => (await import("../commands/logs.js")).attach(context, pod, options)),
    );

  sub(
    root,
    "cp",
    "Copy files and directories into a container or out of it. The container needs tar.",
    "cp ./site web:/srv/site",
    "cp web:/var/log/app.log .",
    "cp kube-system/dns:/etc/conf ./conf -c main",
  )
    .argument("<source>", "PATH, or POD:PATH, or NAMESPACE/POD:PATH")
    .argument("<target>", "the same")
    .addOption(containerOption())
    .addOption(namespaceOption())
    .action((source: string, target: string, options: CpOptions) =>
      perform(async (context) => (await import("../commands/cp.js")).cp(context, source, target, options)),
    );

  sub(
    root,
    "port-forward",
    "Forward local ports to ports inside a pod, until interrupted.",
    "port-forward web 8080:80",
    "port-forward pod/web 8080:80 :9090",
  )
    .argument("<pod>", "NAME or pod/NAME")
    .argument("<ports...>", "[LOCAL:]PORT, by number or name; :PORT uses any free local port")
    .addOption(namespaceOption())
    .option("--address <ip>", "local address to listen on", "127.0.0.1")
    .action((pod: string, ports: string[], options: PortForwardOptions) =>
      perform(async (context) =>
        (await import("../commands/port-forward.js")).portForward(context, pod, ports, options),
      ),
    );
}
