/** Who may ask the kubelet's server, and for what. */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { Guard, type GuardParts } from "../../../src/node/guard.js";

interface Given {
  readonly token?: () => Promise<object>;
  /** Of a subresource: the answer of the API server. */
  readonly access?: (subresource: string) => Promise<object>;
  readonly anonymous?: boolean;
  readonly webhook?: boolean;
  readonly mode?: "Webhook" | "AlwaysAllow";
  readonly withoutReviews?: boolean;
  /** Certificates of clients are checked. */
  readonly certificates?: boolean;
}

function guarded({
  token,
  access,
  anonymous = false,
  webhook = true,
  mode = "Webhook",
  withoutReviews = false,
  certificates = false,
}: Given = {}) {
  const clock = new VirtualClock();
  const asked: unknown[] = [];
  const warnings: string[] = [];
  const reviews = {
    reviewToken: async (spec: object) => {
      asked.push(spec);
      return (
        token?.() ?? { authenticated: true, user: { username: "ann", uid: "7", groups: ["dev"], extra: { a: ["b"] } } }
      );
    },
    reviewAccess: async (spec: { resourceAttributes: { subresource: string } }) => {
      asked.push(spec);
      return access?.(spec.resourceAttributes.subresource) ?? { allowed: true };
    },
  };
  const x509 = certificates ? { clientCAFile: "/ca.crt" } : {};
  const parts = {
    clock,
    nodeName: "node1",
    log: { warn: (text: string) => void warnings.push(text) },
    reviews: withoutReviews ? undefined : reviews,
    config: {
      authentication: { anonymous: { enabled: anonymous }, webhook: { enabled: webhook, cacheTTL: 120 }, x509 },
      authorization: { mode, webhook: { cacheAuthorizedTTL: 300, cacheUnauthorizedTTL: 30 } },
    },
  };
  const guard = new Guard(parts as unknown as GuardParts);
  const check = (authorization?: string, url: string | undefined = "/pods?x=1", socket: object = {}) =>
    guard.check({ method: "GET", url, socket, headers: { authorization } } as unknown as IncomingMessage);
  return { clock, asked, warnings, check };
}

const ann = { name: "ann", uid: "7", groups: ["dev", "system:authenticated"], extra: { a: ["b"] } };
const spec = (subresource: string) => ({
  user: "ann",
  groups: expect.arrayContaining(["dev"]),
  uid: "7",
  extra: { a: ["b"] },
  resourceAttributes: { verb: "get", version: "v1", resource: "nodes", subresource, name: "node1" },
});

test("a token is reviewed, and then what its user may do", async () => {
  const { check, asked } = guarded();
  expect(await check("Bearer t")).toEqual({
    status: 200,
    user: expect.objectContaining({ name: "ann", uid: ann.uid, extra: ann.extra }),
  });
  expect(asked).toEqual([{ token: "t" }, spec("pods")]);
});

test("one subresource that is allowed is enough; a denial wins over it", async () => {
  const { check, asked } = guarded({ access: async (one) => ({ allowed: true, denied: one === "pods" }) });
  expect(await check("Bearer t")).toMatchObject({ status: 200 });
  expect(asked.slice(1)).toEqual([spec("pods"), spec("proxy")]);
});

test("what no subresource allows is forbidden, in the kubelet's words", async () => {
  const { check } = guarded({ access: async () => ({ allowed: false }) });
  expect(await check("Bearer t")).toEqual({
    status: 403,
    text: "Forbidden (user=ann, verb=get, resource=nodes, subresource(s)=[pods proxy])\n",
  });
});

test("AlwaysAllow asks for no rights", async () => {
  const { check, asked } = guarded({ mode: "AlwaysAllow" });
  expect(await check("Bearer t")).toMatchObject({ status: 200 });
  expect(asked).toEqual([{ token: "t" }]);
});

test.each<[string, Given, string | undefined]>([
  ["no token", {}, undefined],
  ["a token that is refused", { token: async () => ({ authenticated: false }) }, "Bearer t"],
  ["a token where none is reviewed", { webhook: false }, "Bearer t"],
  ["a token without a plugin that reviews it", { withoutReviews: true }, "Bearer t"],
  ["credentials of another kind, although anonymous users may ask", { anonymous: true }, "Basic eDp5"],
  ["a refused token, although anonymous users may ask", { anonymous: true, token: async () => ({}) }, "Bearer t"],
])("%s is unauthorized", async (_name, given, authorization) => {
  expect(await guarded(given).check(authorization)).toEqual({ status: 401, text: "Unauthorized" });
});

test("an anonymous user may ask where that is enabled", async () => {
  const { check } = guarded({ anonymous: true, mode: "AlwaysAllow" });
  expect(await check()).toMatchObject({ status: 200, user: { name: "system:anonymous" } });
});

test("a review that fails is a warning, and the request is refused", async () => {
  const away = async (): Promise<never> => {
    throw new Error("away");
  };
  const unknown = guarded({ token: away });
  expect(await unknown.check("Bearer t")).toEqual({ status: 401, text: "Unauthorized" });
  expect(unknown.warnings).toEqual(["who asks the server could not be found out: away"]);
  const error = { status: 500, text: "Authorization error (user=ann, verb=get, resource=nodes, subresource=pods)" };
  const unsure = guarded({ access: away });
  expect(await unsure.check("Bearer t")).toEqual(error);
  expect(unsure.warnings).toEqual(["what ann may do could not be found out: away"]);
});

test("without a plugin that asks an API server rights are an error", async () => {
  const { check, warnings } = guarded({ withoutReviews: true, anonymous: true });
  expect(await check()).toMatchObject({ status: 500, text: expect.stringContaining("user=system:anonymous") });
  expect(warnings).toEqual([expect.stringContaining("no plugin asks an API server")]);
});

test("a review that takes 10 s is given up", async () => {
  const { clock, check, warnings } = guarded({ token: () => new Promise(() => undefined) });
  const done = check("Bearer t");
  await clock.advance(10_000);
  expect(await done).toMatchObject({ status: 401 });
  expect(warnings).toEqual([expect.stringContaining("the API server did not answer within 10 s")]);
});

test("a user is known for two minutes, a right for five, a refusal for 30 s", async () => {
  let allowed = true;
  const { clock, check, asked } = guarded({ access: async () => ({ allowed }) });
  const askedNow = async (): Promise<number> => {
    asked.length = 0;
    await check("Bearer t", "/stats/summary");
    return asked.length;
  };
  expect(await askedNow()).toBe(2);
  await clock.advance(119_999);
  expect(await askedNow()).toBe(0);
  await clock.advance(1);
  expect(await askedNow()).toBe(1);
  allowed = false;
  await clock.advance(180_000);
  expect(await askedNow()).toBe(2);
  await clock.advance(29_999);
  expect(await askedNow()).toBe(0);
  await clock.advance(1);
  expect(await askedNow()).toBe(1);
});

/** A connection over TLS, with what its client has shown. */
const tls = (authorized: boolean, subject: object | undefined): object =>
  Object.create(TLSSocket.prototype, {
    authorized: { value: authorized },
    getPeerCertificate: { value: () => ({ subject }) },
  });
const kube = { CN: "kube", O: "system:masters" };

test.each<[string, Given, object, string]>([
  ["a certificate of an authority that is named", { certificates: true }, tls(true, kube), "kube"],
  ["a certificate of another authority", { certificates: true }, tls(false, kube), "ann"],
  ["a certificate where no authority is named", {}, tls(true, kube), "ann"],
  ["a certificate without a name", { certificates: true }, tls(true, { O: "system:masters" }), "ann"],
  ["no certificate", { certificates: true }, tls(true, undefined), "ann"],
  ["a connection without TLS", { certificates: true }, { ...kube, authorized: true }, "ann"],
])("%s, and a token of ann: who asks", async (_name, given, socket, name) => {
  const { check, asked } = guarded({ ...given, mode: "AlwaysAllow" });
  expect(await check("Bearer t", undefined, socket)).toMatchObject({ status: 200, user: { name } });
  expect(asked).toEqual(name === "kube" ? [] : [{ token: "t" }]);
});

test("a user without a uid is asked for without one", async () => {
  const { check, asked } = guarded({ token: async () => ({ authenticated: true, user: { username: "eve" } }) });
  await check("Bearer t");
  expect(asked[1]).toEqual({
    user: "eve",
    groups: ["system:authenticated"],
    extra: {},
    resourceAttributes: { verb: "get", version: "v1", resource: "nodes", subresource: "pods", name: "node1" },
  });
});

test("answers hold for a user alone: what one may do says nothing of another", async () => {
  let name = "ann";
  const { check } = guarded({
    token: async () => ({ authenticated: true, user: { username: name } }),
    access: async () => ({ allowed: name === "ann" }),
  });
  expect((await check("Bearer a")).status).toBe(200);
  name = "eve";
  expect((await check("Bearer b")).status).toBe(403);
  expect([(await check("Bearer a")).status, (await check("Bearer b")).status]).toEqual([200, 403]);
});

test("a token that is refused is asked for again after 10 s", async () => {
  const { clock, check, asked } = guarded({ token: async () => ({}) });
  await check("Bearer t");
  await clock.advance(9_999);
  await check("Bearer t");
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  await check("Bearer t");
  expect(asked).toHaveLength(2);
});
