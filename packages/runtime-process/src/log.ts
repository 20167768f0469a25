import type { RuntimeContext } from "@hooklet/core/host";

export type Logger = RuntimeContext["log"];
