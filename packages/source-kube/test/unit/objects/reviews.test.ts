import { expect, test } from "@jest/globals";
import { KubeReviews } from "../../../src/objects/reviews.js";

const { signal } = new AbortController();

function reviews(answer: object) {
  const asked: unknown[] = [];
  const client = {
    create: async (path: string, body: unknown, options: unknown) => {
      asked.push([path, body, options]);
      return answer;
    },
  };
  return { asked, reviews: new KubeReviews(client as never) };
}

const account = { namespace: "default", name: "sa" };
const spec = { audiences: ["api"], expirationSeconds: 3600 };
const expirationTimestamp = "2026-01-01T01:00:00Z";

test("a token is requested from the service account, and comes with its real lifetime", async () => {
  const { asked, reviews: own } = reviews({
    spec: { expirationSeconds: 600 },
    status: { token: "t", expirationTimestamp },
  });
  expect(await own.createToken(account, spec, signal)).toEqual({
    token: "t",
    expirationTimestamp,
    expirationSeconds: 600,
  });
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
  expect(asked).toEqual([["/api/v1/namespaces/default/serviceaccounts/sa/token", body, { signal }]]);
});

test.each([{ expirationSeconds: 0 }, { expirationSeconds: "600" }, undefined])(
  "a lifetime that is none is left out: %j",
  async (given) => {
    const { reviews: own } = reviews({ spec: given, status: { token: "t", expirationTimestamp } });
    expect(await own.createToken(account, spec, signal)).toEqual({ token: "t", expirationTimestamp });
  },
);

test.each([{}, { status: {} }, { status: { token: "" } }, { status: { token: 7 } }])(
  "an answer without a token is refused: %j",
  async (answer) => {
    await expect(reviews(answer).reviews.createToken(account, spec, signal)).rejects.toThrow(
      "the answer of /api/v1/namespaces/default/serviceaccounts/sa/token is incomplete: expected a token",
    );
  },
);

test("a caller's token is reviewed by the API server", async () => {
  const status = { authenticated: true, user: { username: "u" } };
  const { asked, reviews: own } = reviews({ status });
  expect(await own.reviewToken({ token: "t" }, signal)).toEqual(status);
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "t" } };
  expect(asked).toEqual([["/apis/authentication.k8s.io/v1/tokenreviews", body, { signal }]]);
});

test("a caller's access is reviewed by the API server", async () => {
  const { asked, reviews: own } = reviews({ status: { allowed: false } });
  expect(await own.reviewAccess({ user: "u" }, signal)).toEqual({ allowed: false });
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec: { user: "u" } };
  expect(asked).toEqual([["/apis/authorization.k8s.io/v1/subjectaccessreviews", body, { signal }]]);
});

test("a review without a status is refused", async () => {
  const { reviews: own } = reviews({});
  await expect(own.reviewToken({}, signal)).rejects.toThrow(
    "the answer of /apis/authentication.k8s.io/v1/tokenreviews is incomplete: expected a status",
  );
  await expect(own.reviewAccess({}, signal)).rejects.toThrow(
    "the answer of /apis/authorization.k8s.io/v1/subjectaccessreviews is incomplete: expected a status",
  );
});
