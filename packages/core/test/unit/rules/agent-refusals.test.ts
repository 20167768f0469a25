/** What is refused though nothing was wrong with how it was asked: each by a code of its own, INVALID is for bad input alone. */

import { assertTimes } from "@hooklet/logs";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { deletePod } from "../../../src/agent/pod-requests.js";
import { SourceList } from "../../../src/agent/source-list.js";
import { ProvidedVolumes } from "../../../src/pod/life/provided-volumes.js";
import { aPod } from "../../pod/pods.js";

const pod = aPod({});
const volume = { name: "data", configMap: { name: "data" } };
const { signal } = new AbortController();

const prepared = (provider: object | undefined): Promise<void> =>
  new ProvidedVolumes({ volumesOf: () => provider as never }, new VirtualClock()).prepare(pod, "/v", volume, signal);

test.each<{ name: string; code: string; ask: () => unknown }>([
  {
    name: "to delete a pod that another source wants",
    code: "DELETION_REFUSED",
    ask: () => {
      const control = { name: "control", delete: async () => pod, shorten: () => {} };
      return deletePod(
        { manager: { sourceOf: () => "manifests", get: () => pod }, control, placeOf: () => undefined },
        pod,
        undefined,
      );
    },
  },
  {
    name: "a second source of one name",
    code: "CLAIM_CONFLICT",
    ask: () => {
      const sources = new SourceList();
      const source = { name: "kube", start: async () => {}, stop: async () => {} };
      sources.add(source);
      sources.add(source);
    },
  },
  {
    name: "times of a log that has none",
    code: "UNSUPPORTED",
    ask: () => assertTimes({ format: "raw" }, { timestamps: true }),
  },
  { name: "a volume without a provider", code: "UNSUPPORTED", ask: () => prepared(undefined) },
  {
    name: "a volume whose provider names no path of the host",
    code: "PROVIDER_OUTPUT",
    ask: () => prepared({ prepare: async () => "data" }),
  },
])("$name: $code", async ({ code, ask }) => {
  await expect((async () => ask())()).rejects.toMatchObject({ code });
});
