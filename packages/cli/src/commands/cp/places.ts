/** Where `cp` copies from and to. */
import { invalid } from "@hooklet/core/base";
import { podName } from "../../pod-argument.js";

export interface RemotePlace {
  readonly kind: "remote";
  readonly pod: { readonly name: string; readonly namespace: string };
  readonly path: string;
}

export type Place = RemotePlace | { readonly kind: "local"; readonly path: string };

/** `POD:PATH`, `NAMESPACE/POD:PATH`, `pod/POD:PATH`, or a path of this machine. @throws NodeAgentError INVALID */
export function parsePlace(text: string, namespace: string): Place {
  const colon = text.indexOf(":");
  // `./a:b` and `/a:b` are files here.
  if (colon <= 0 || /^[./]/.test(text)) return { kind: "local", path: text };
  const path = text.slice(colon + 1);
  if (path === "") throw invalid("cp", "a path behind the colon", text);
  const words = text.slice(0, colon).split("/");
  const [first = "", second] = words;
  if (words.length > 2 || words.includes("")) throw invalid("cp", "POD:PATH or NAMESPACE/POD:PATH", text);
  if (second === undefined) return { kind: "remote", pod: { name: first, namespace }, path };
  if (/^(?:po|pods?)$/.test(first))
    return { kind: "remote", pod: { name: podName(`${first}/${second}`), namespace }, path };
  return { kind: "remote", pod: { name: second, namespace: first }, path };
}
