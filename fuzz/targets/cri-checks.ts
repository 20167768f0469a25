/** What must hold of the port's objects whatever a runtime says: others decide by them. */
import type { RuntimeContainer, Sandbox } from "@hooklet/core";

const CONTAINER_STATES = ["CONTAINER_CREATED", "CONTAINER_RUNNING", "CONTAINER_EXITED", "CONTAINER_UNKNOWN"];
const SANDBOX_STATES = ["SANDBOX_READY", "SANDBOX_NOTREADY"];

export function checkContainers(all: readonly Pick<RuntimeContainer, "state" | "createdAt" | "metadata">[]): void {
  for (const { state, createdAt, metadata } of all) {
    if (!CONTAINER_STATES.includes(state)) throw new Error(`a container's state is ${JSON.stringify(state)}`);
    if (typeof createdAt !== "bigint") throw new Error(`a container was created at ${JSON.stringify(createdAt)}`);
    if (typeof metadata.name !== "string") throw new Error(`a container's name is ${JSON.stringify(metadata.name)}`);
  }
  checkNumbers(all);
}

export function checkSandboxes(all: readonly Sandbox[]): void {
  for (const { state } of all) {
    if (!SANDBOX_STATES.includes(state)) throw new Error(`a sandbox's state is ${JSON.stringify(state)}`);
  }
  checkNumbers(all);
}

/** No number in it is NaN, and none infinite. */
export function checkNumbers(value: unknown, at = "the answer"): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${at} is ${value}`);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [key, one] of Object.entries(value)) checkNumbers(one, `${at}.${key}`);
}
