import { expect, test } from "@jest/globals";
import type { Restrictions } from "../../src/admission/restrictions.js";
import { TestNode } from "./node.js";

const all: Restrictions = {
  refusePrivileged: true,
  refuseHostNamespaces: true,
  allowedHostPaths: [],
  refuseProbeHosts: true,
};

test("a pod of a restricted source is Failed with the reason, and the same pod of another source runs", async () => {
  class Restricted extends TestNode {
    override options() {
      const options = super.options();
      const sources = { ...options.config.sources, restrictions: { control: all } };
      return { ...options, config: { ...options.config, sources } };
    }
  }
  const here = new Restricted();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  const manifest = (name: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { hostPID: true, containers: [{ name: "main", image: "app:1" }] },
    });
  await here.agent.api.apply(manifest("one"), "-f");
  await here.manifest("two.json", manifest("two"));
  await here.clock.advance(2_000);
  expect(here.status("one")).toMatchObject({ phase: "Failed", reason: "SourceRestricted" });
  expect(here.status("two").phase).toBe("Running");
});
