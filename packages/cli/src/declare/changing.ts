/** Commands that change something. */
import type { Command } from "commander";
import type { DeleteOptions } from "../commands/delete.js";
import { collect, namespaceOption, type Perform, sub } from "./parts.js";

export function declareChanging(root: Command, perform: Perform): void {
  root.commandsGroup("Change what runs:");
  sub(
    root,
    "apply",
    "Create or change the pods, ConfigMaps and Secrets of a manifest. They survive a restart of the agent.",
    "apply -f pod.yaml",
    "cat pod.yaml | hooklet apply -f -",
  )
    .requiredOption("-f, --filename <file>", "manifest, - for standard input; may be given again", collect)
    .action((options: { filename: string[] }) =>
      perform(async (context) => (await import("../commands/apply.js")).apply(context, options.filename)),
    );

  sub(
    root,
    "delete",
    "Delete pods, ConfigMaps and Secrets that were applied, and wait until pods are gone.",
    "delete pod web",
    "delete -f pod.yaml --grace-period 0",
  )
    .argument("[what...]", "pod NAME..., or pod/NAME..., or configmap|secret NAME...")
    .option("-f, --filename <file>", "manifest, - for standard input; may be given again", collect)
    .addOption(namespaceOption())
    .option("--grace-period <seconds>", "seconds, instead of the pod's own grace period")
    .option("--wait", "wait until they are gone (default)")
    .option("--no-wait", "return at once")
    .action((what: string[], options: DeleteOptions) =>
      perform(async (context) => (await import("../commands/delete.js")).deletePods(context, what, options)),
    );

  sub(
    root,
    "restart",
    "Restart all containers of pods in place. The pods and their UIDs stay. Works for pods of manifest files too.",
    "restart pod web",
    "restart pod/web pod/db -n shop",
  )
    .argument("<what...>", "pod NAME..., or pod/NAME..., or names of pods")
    .addOption(namespaceOption())
    .action((what: string[], options: { namespace?: string }) =>
      perform(async (context) => (await import("../commands/changing.js")).restart(context, what, options)),
    );

  sub(
    root,
    "reload",
    "Start a new agent with the current rc file. It takes over the pods, which keep running.",
    "reload",
  ).action(() => perform(async (context) => (await import("../commands/changing.js")).reload(context)));

  const image = sub(root, "image", "Images of the runtime.", "image list");
  sub(
    image,
    "import",
    "Import a root file system as an image: docker save or OCI archive, or a directory.",
    "image import web:1 web.tar",
  )
    .argument("<name>", "name of the image")
    .argument("<path>", "tar file or directory")
    .action((name: string, path: string) =>
      perform(async (context) => (await import("../commands/changing.js")).importImage(context, name, path)),
    );
  sub(image, "list", "List images, as get images does.", "image list")
    .alias("ls")
    .action(() => perform(async (context) => (await import("../commands/get.js")).get(context, "images", [], {})));
  sub(image, "remove", "Remove images.", "image remove web:1")
    .alias("rm")
    .argument("<names...>", "names or ids")
    .action((names: string[]) =>
      perform(async (context) => (await import("../commands/changing.js")).removeImages(context, names)),
    );

  const plugin = sub(
    root,
    "plugin",
    "Switch a plugin's taps on or off, until the agent restarts or reloads.",
    "plugin off my-plugin",
  );
  for (const active of [true, false]) {
    const word = active ? "on" : "off";
    sub(
      plugin,
      word,
      active
        ? "Switch all taps of a plugin on again."
        : "Switch all taps of a plugin off, until plugin on, or until the agent restarts or reloads.",
      `plugin ${word} my-plugin`,
    )
      .argument("<name>", "name of the plugin")
      .action((name: string) =>
        perform(async (context) => (await import("../commands/changing.js")).switchPlugin(context, name, active)),
      );
  }
}
