/**
 * Credentials of registries for all pods, or for those of one namespace; the first that fits is tried first. The password is read
 * again for each pull, so a renewal only writes the file.
 *
 *     plugins:
 *       - - ./registry-credentials.mjs
 *         - registries:
 *             - { registry: registry.example.com, namespace: team-a, username: a, passwordFile: /etc/registry/a }
 *             - { registry: registry.example.com, username: all, passwordFile: /etc/registry/all }
 *
 * @type {import("@hooklet/core").NodePlugin<{ registries: { registry: string, namespace?: string, username: string, passwordFile: string }[] }>}
 */
import { readFile } from "node:fs/promises";

export default {
  meta: { name: "registry-credentials", api: 1, description: "Credentials of registries, by namespace" },

  options: (z) =>
    z.strictObject({
      registries: z
        .array(
          z.strictObject({
            registry: z.string().min(1),
            namespace: z.string().min(1).optional(),
            username: z.string().min(1),
            passwordFile: z.string().startsWith("/"),
          }),
        )
        .min(1),
    }),

  start(ctx, { registries }) {
    ctx.provide.credentials({
      async credentials(pod, image, signal) {
        const fitting = registries.filter(
          ({ registry, namespace = pod.metadata.namespace }) =>
            image.startsWith(`${registry}/`) && namespace === pod.metadata.namespace,
        );
        return Promise.all(
          fitting.map(async ({ username, passwordFile }) => {
            const password = (await readFile(passwordFile, { encoding: "utf8", signal })).trim();
            return { username, password };
          }),
        );
      },
    });
  },
};
