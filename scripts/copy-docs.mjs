// Before the package hooklet is packed: its documents go with it.
import { cp, rm } from "node:fs/promises";

const target = new URL("../packages/hooklet/docs/", import.meta.url);
await rm(target, { recursive: true, force: true });
for (const page of ["reference/plugins.md", "reference/rc-file.md", "reference/metrics.md", "explanation/hardening.md"])
  await cp(new URL(`../docs/${page}`, import.meta.url), new URL(page, target));
