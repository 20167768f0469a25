// Before the package hooklet is packed: its documents go with it.
import { cp, mkdir, rm } from "node:fs/promises";

const target = new URL("../packages/hooklet/docs/", import.meta.url);
await rm(target, { recursive: true, force: true });
await mkdir(target);
for (const page of ["plugins.md", "rc-file.md", "hardening.md", "metrics.md"])
  await cp(new URL(`../docs/${page}`, import.meta.url), new URL(page, target));
