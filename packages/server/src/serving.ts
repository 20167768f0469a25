/** What answers on a listener once there is an agent: the app of its endpoint, and the streams of pods where it has them. */
import type { RequestListener, Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { buildApp } from "./app.js";
import type { Audit } from "./audit.js";
import type { Endpoint } from "./endpoints.js";
import { ANSWER_HEADERS, TEXT_TYPE } from "./error-answer.js";
import type { Listener } from "./listener.js";
import type { ServerContext } from "./server-context.js";
import { type Admission, Upgrades } from "./streams/upgrades.js";

export interface ServingParts {
  readonly endpoint: Endpoint;
  readonly audit: Audit;
  /** Called for each request before any other handler. Absent: every client of the listener may use all of its endpoint. */
  readonly admit?: Admission;
}

export interface Serving {
  /** Answers from now on. */
  serve(): void;
  /** Ends what is carried; the listener is to be closed too. */
  close(): Promise<void>;
}

/** Resolves when it is ready to serve: its hooks check access, and are not ready before. */
export async function prepareServing(
  context: ServerContext,
  listener: Listener<Server | HttpsServer>,
  { endpoint, audit, admit }: ServingParts,
): Promise<Serving> {
  const app = buildApp(context, {
    endpoint,
    audit,
    serverFactory: (answer) => listener.answerer(admit === undefined ? answer : guarded(answer, admit, context)),
  });
  await app.ready();
  const everybody: Admission = async (request) => ({
    status: 200,
    noted: (what, work) => audit.of(request, { what, isSession: true }, work),
  });
  const upgrades = endpoint.pods ? new Upgrades(context, { endpoint, admit: admit ?? everybody }) : undefined;
  return {
    serve: () => {
      if (upgrades !== undefined)
        listener.server.on("upgrade", (request, socket, head) => void upgrades.upgrade(request, socket, head));
      listener.serve();
    },
    close: () => {
      upgrades?.close();
      return app.close();
    },
  };
}

/** Checks access before any other handler: a router would tell unauthenticated clients which paths exist. */
function guarded(answer: RequestListener, admit: Admission, { api }: ServerContext): RequestListener {
  return async (request, response) => {
    const admitted = await admit(request);
    if (response.destroyed) return;
    if (admitted.status === 200) {
      answer(request, response);
      return;
    }
    const { method = "" } = request;
    response.once("close", api.httpRequest({ method, path: "others", serverType: "readwrite", longRunning: false }));
    response.writeHead(admitted.status, { ...ANSWER_HEADERS, "content-type": TEXT_TYPE });
    response.end(admitted.text);
  };
}
