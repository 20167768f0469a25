/** Ids are a port, as time is: the same scenario gives the same ones. */
import { randomUUID } from "node:crypto";

export interface IdSource {
  /** A new uid, never given before on this node. */
  uid(): string;
}

export const randomIds: IdSource = { uid: () => randomUUID() };
