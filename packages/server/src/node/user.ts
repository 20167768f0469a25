/** Who a request is from, by its client certificate or bearer token (authentication.k8s.io). Pure. */
import type { UserInfo } from "kubernetes-types/authentication/v1.js";

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"], extra: {} };

const AUTHENTICATED = "system:authenticated";

/**
 * The user of a client certificate: CN is the user, each O a group. Of several CNs the last one counts, as for the signer (Go's
 * pkix.Name). Undefined: it has no user.
 */
export function userOfSubject(subject: {
  readonly CN?: string | string[];
  readonly O?: string | string[];
}): User | undefined {
  const name = [subject.CN ?? []].flat().at(-1);
  if (name === undefined || name === "") return undefined;
  return { name, groups: [...new Set([...[subject.O ?? []].flat(), AUTHENTICATED])], extra: {} };
}

/** The user of a token review. @throws Error where a value is not of its type */
export function userOfReview({ username = "", uid, groups = [], extra = {} }: UserInfo): User | undefined {
  if (username === "") return undefined;
  if (!isText(username) || !(uid === undefined || isText(uid)) || !isTexts(groups) || !isExtra(extra)) {
    throw new Error("the API server named a user in another form: expected texts for username, uid, groups and extra");
  }
  return { name: username, ...(uid !== undefined && { uid }), groups: [...new Set([...groups, AUTHENTICATED])], extra };
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isExtra(value: unknown): boolean {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.values(value).every(isTexts);
}

/** The token of `Authorization: Bearer TOKEN`; undefined: there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  const [scheme, token, ...more] = (header ?? "").trim().split(/ +/);
  if (scheme?.toLowerCase() !== "bearer" || token === undefined || token === "" || more.length > 0) return undefined;
  return token;
}
