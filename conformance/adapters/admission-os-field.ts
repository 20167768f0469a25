import { rejectedByOs } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import type { VectorFile } from "../vector-file.js";
import { type RawPod, toPod, withThisOs } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod }> = {
  keys: ["pod"],
  run({ pod }) {
    const rejection = rejectedByOs(toPod(withThisOs(pod)), { os: "linux" });
    return rejection ? { reject: true, rejection } : { reject: false };
  },
  expected: withRejection,
};

/** The words of a rejection stand once in the file. */
export function withRejection(expected: { readonly reject: boolean }, file: VectorFile): unknown {
  return expected.reject ? { ...expected, rejection: file.content.rejection } : expected;
}
