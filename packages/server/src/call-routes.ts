/** Routes of the calls of an agent: each a method of AgentApi, by core's table of them. */
import { isAbsolute } from "node:path";
import { type Call, type CallName, calls } from "@hooklet/core/base";
import type { Pod } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Audit } from "./audit.js";
import type { Endpoint } from "./endpoints.js";
import { JSON_TYPE } from "./error-answer.js";
import { count, parseInput, podParams, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import { withoutValues } from "./without-values.js";

const MAX_SECONDS = 2 ** 31 - 1;

type Fields = Readonly<Record<string, unknown>>;

/** A request's parameters, and the audit text, without secrets; a request without audit text changes nothing. */
interface Request {
  readonly fields: z.ZodType<Fields>;
  readonly what?: (fields: Fields) => string;
}

const objectKind = z.enum(["ConfigMap", "Secret"]);

const nothing: Request = { fields: z.object({}) };

const requests: Readonly<Record<CallName, Request>> = {
  pod: { fields: podParams },
  node: nothing,
  plugins: nothing,
  views: nothing,
  view: { fields: z.object({ name: text.min(1) }) },
  images: nothing,
  reload: { ...nothing, what: () => "reload" },
  apply: {
    fields: z.object({ manifest: z.string(), where: text.default("control socket") }),
    what: ({ where }) => `apply ${where}`,
  },
  deletePod: {
    fields: podParams.extend({ gracePeriodSeconds: count(MAX_SECONDS) }),
    what: ({ namespace, name, gracePeriodSeconds: grace }) =>
      `delete pod ${namespace}/${name}${grace === undefined ? "" : ` within ${grace} s`}`,
  },
  restartPod: { fields: podParams, what: ({ namespace, name }) => `restart pod ${namespace}/${name}` },
  objects: { fields: z.object({ kind: objectKind }) },
  deleteObject: {
    fields: podParams.extend({ kind: objectKind }),
    what: ({ kind, namespace, name }) => `delete ${String(kind).toLowerCase()} ${namespace}/${name}`,
  },
  plan: {
    fields: z.strictObject({
      plugin: text.min(1),
      manifest: z.string().optional(),
      arguments: z.record(text, z.string()).default({}),
    }),
  },
  switchPlugin: {
    fields: z.strictObject({ name: text.min(1), active: z.boolean() }),
    what: ({ name, active }) => `switch plugin ${name} ${active ? "on" : "off"}`,
  },
  importImage: {
    fields: z.strictObject({
      name: text.min(1),
      path: text.refine(isAbsolute, "expected an absolute path of a tar file or a directory on the node"),
    }),
    what: ({ name, path }) => `import image ${name} from ${path}`,
  },
  removeImage: { fields: z.object({ name: text.min(1) }), what: ({ name }) => `remove image ${name}` },
};

/** Those that the endpoint has. Lists are answered as `{items}`, nothing as 204. */
export function callRoutes(
  app: FastifyInstance,
  { api }: ServerContext,
  { audit, endpoint }: { readonly audit: Audit; readonly endpoint: Pick<Endpoint, "changes" | "reads"> },
): void {
  const asText = { parseAs: "string" } as const;
  app.addContentTypeParser(["application/yaml", "text/plain"], asText, (_request, body, done) => done(null, body));
  for (const [name, call] of Object.entries(calls) as [CallName, Call][]) {
    if (!endpoint.changes && call.reads !== true) continue;
    const { fields: schema, what } = requests[name];
    app.route({
      method: call.method,
      url: call.path,
      handler: async (request, reply) => {
        const body = call.text === undefined ? request.body : { [call.text]: request.body ?? "" };
        const given = Object.assign({}, request.query, body, request.params);
        const fields = parseInput(schema, given, "request");
        const method = api[name] as (...given: readonly unknown[]) => unknown;
        const ask = async (): Promise<unknown> => method.apply(api, argumentsOf(call, fields));
        const answer =
          what === undefined
            ? await ask()
            : await audit.of(request, { what: what(withWholeName(api, name, fields)), isSession: false }, ask);
        if (answer === undefined) return reply.code(204).send();
        const shown = name === "pod" && endpoint.reads !== "whole" ? withoutValues(answer as Pod) : answer;
        return reply.type(JSON_TYPE).send(JSON.stringify(Array.isArray(shown) ? { items: shown } : shown));
      },
    });
  }
}

/** The pod's whole name, where the request left the node's suffix away. */
function withWholeName(api: ServerContext["api"], call: CallName, fields: Fields): Fields {
  if (call !== "deletePod" && call !== "restartPod") return fields;
  const { namespace, name } = fields as z.infer<typeof podParams>;
  try {
    return { ...fields, name: api.pod({ namespace, name }).metadata.name };
  } catch {
    // The request will say so itself.
    return fields;
  }
}

function argumentsOf({ takes }: Call, fields: Fields): unknown[] {
  return takes.map((taken) =>
    typeof taken === "string" ? fields[taken] : Object.fromEntries(taken.map((name) => [name, fields[name]])),
  );
}
