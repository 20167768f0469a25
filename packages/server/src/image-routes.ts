/** Images of the runtime. Control socket only. */
import { isAbsolute } from "node:path";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Audit } from "./audit.js";
import { parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";

const importBody = z.strictObject({
  name: text.min(1),
  path: text.refine(isAbsolute, "expected an absolute path of a tar file or a directory on the node"),
});
const imageQuery = z.object({ name: text.min(1) });

export function imageRoutes(app: FastifyInstance, { api }: ServerContext, audit: Audit): void {
  app.get("/images", async () => ({ items: await api.images() }));
  app.post("/images/import", async (request) => {
    const { name, path } = parseInput(importBody, request.body, "body");
    return audit.of(request, `import image ${name} from ${path}`, async () => ({
      id: await api.importImage(name, path),
    }));
  });
  app.delete("/images", async (request, reply) => {
    const { name } = parseInput(imageQuery, request.query);
    await audit.of(request, `remove image ${name}`, () => api.removeImage(name));
    return reply.code(204).send();
  });
}
