/**
 * A source of pods: a folder of JSON files, one v1 Pod in each, as your controller may write them.
 *
 *     plugins:
 *       - ["./json-folder.mjs", { folder: /etc/pods.d }]
 *
 * A file that cannot be used is reported as a fault, and its pod runs on as it was. Install `@hooklet/core` beside this file.
 *
 * @type {import("@hooklet/core").NodePlugin<{ folder: string }>}
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { apiPod, readManifest } from "@hooklet/core/internal";

const PERIOD_SECONDS = 10;

export default {
  meta: { name: "json-folder", api: 1, description: "Pods of a folder of JSON files" },

  options: (z) => z.strictObject({ folder: z.string().startsWith("/") }),

  start(ctx, { folder }) {
    /** The last good pod of each file. */
    let known = new Map();
    /** Files with a fault that was reported. */
    const faulty = new Set();
    let sink;

    const report = (where, error) => {
      faulty.add(where);
      sink.fault({ where, message: error.message });
    };
    const mended = (where) => {
      if (faulty.delete(where)) sink.mended(where);
    };

    const read = async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
      const now = new Map();
      for (const name of names) {
        const where = join(folder, name);
        try {
          const text = await readFile(where, "utf8");
          // Another text is another pod: it gets another uid.
          const uid = createHash("md5").update(`${where}\n${text}`).digest("hex");
          const before = known.get(name);
          const [pod] =
            before?.metadata.uid === uid
              ? [before]
              : await readManifest(
                  text,
                  where,
                  (found) => apiPod(found, { nodeName: ctx.node.name, seen: ctx.clock.now(), uid }),
                  sink.provided,
                );
          if (pod !== undefined) now.set(name, pod);
          mended(where);
        } catch (error) {
          report(where, error);
          if (known.has(name)) now.set(name, known.get(name));
        }
      }
      known = now;
      sink.desired([...known.values()]);
      // Of the faults there were, those stay whose file is still there.
      for (const where of faulty) if (!names.includes(basename(where))) mended(where);
    };
    const look = () => read().catch((error) => report(folder, error));

    ctx.addSource({
      name: "json-folder",
      async start(given) {
        sink = given;
        await look();
      },
      async stop() {},
    });
    ctx.hooks.tick(PERIOD_SECONDS).tap(() => (sink === undefined ? undefined : look()));
  },
};
