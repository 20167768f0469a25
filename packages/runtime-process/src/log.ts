import type { RuntimeContext } from "@hooklet/core";

export type Logger = RuntimeContext["log"];
