/** One request and its answer, as both HTTP versions see them. */
import type { Headers } from "./http-headers.js";
import type { Url } from "./target.js";

export interface Exchange {
  readonly url: Url;
  readonly host: string;
  readonly headers: Headers;
  /** What is left of the timeout. */
  readonly milliseconds: number;
  readonly h2c: boolean;
}

export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly location: string | undefined; readonly body: string }
  /** No answer, and why. */
  | { readonly kind: "failed"; readonly why: string }
  /** An answer whose body broke off. */
  | { readonly kind: "broken"; readonly why: string };

export const TIMED_OUT = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
export const BODY_TIMED_OUT = "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
