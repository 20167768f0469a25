/** `/healthz` and `/readyz` as the kubelet serves them: `ok`, or 500 naming the part that fails. */

import type { HealthReport } from "@hooklet/core/host";
import { errorText, withDeadline } from "@hooklet/utils";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServerContext } from "./server-context.js";

const DEADLINE_MILLISECONDS = 10_000;

/** The answer's text: `ok`, or with `verbose` and when something fails a line for each part. */
export function healthText(check: string, report: HealthReport, verbose: boolean): string {
  if (report.ok && !verbose) return "ok";
  const lines = report.parts.map(({ name, ok, message }) =>
    ok
      ? `[+]${name} ok${message === undefined ? "" : `: ${message}`}`
      : `[-]${name} failed: ${message ?? "no reason given"}`,
  );
  return `${[...lines, `${check} check ${report.ok ? "passed" : "failed"}`].join("\n")}\n`;
}

export function healthRoutes(app: FastifyInstance, { api, clock }: ServerContext): void {
  const ask = async (work: () => Promise<HealthReport>): Promise<HealthReport> => {
    try {
      return await withDeadline(
        clock,
        DEADLINE_MILLISECONDS,
        work(),
        () => new Error(`no answer within ${DEADLINE_MILLISECONDS / 1000} s`),
      );
    } catch (error) {
      return { ok: false, parts: [{ name: "agent", ok: false, message: errorText(error) }] };
    }
  };
  const send = (reply: FastifyReply, check: string, report: HealthReport, query: unknown): FastifyReply =>
    reply
      .code(report.ok ? 200 : 500)
      .type("text/plain; charset=utf-8")
      .send(healthText(check, report, typeof query === "object" && query !== null && "verbose" in query));

  app.get("/healthz", async (request, reply) => send(reply, "healthz", await ask(() => api.health()), request.query));
  app.get("/readyz", async (request, reply) => send(reply, "readyz", await ask(() => api.ready()), request.query));
  app.get<{ Params: { "*": string } }>("/healthz/*", async (request, reply) => {
    const name = request.params["*"];
    const part = (await ask(() => api.health())).parts.find((candidate) => candidate.name === name);
    if (part === undefined) return reply.callNotFound();
    return send(reply, `healthz/${name}`, { ok: part.ok, parts: [part] }, request.query);
  });
}
