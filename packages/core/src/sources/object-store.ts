/** ConfigMaps and Secrets of the control socket: kept over restarts, each in a checked private file. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type ApiObject, namespacedName } from "@hooklet/manifest";
import { type Clock, type Json, Listeners, NodeAgentError } from "@hooklet/utils";
import type { ConfigMap, Secret } from "kubernetes-types/core/v1.js";
import { CheckedFolder } from "./checked-folder.js";
import type { ObjectChange, ObjectKind, ObjectName, ObjectSource } from "./objects.js";
import type { SourceFault } from "./port.js";

const FILE = /^[0-9a-f]{64}\.json$/;
const MAX_OBJECTS = 10_000;

export class ObjectStore implements ObjectSource {
  readonly #objects = new Map<string, ApiObject>();
  readonly #listeners: Listeners<[ObjectChange]>;
  readonly #files: CheckedFolder;

  /** `folder`: absolute; made when needed. */
  constructor(folder: string, clock: Clock, report: (where: string, error: unknown) => void = () => {}) {
    this.#files = new CheckedFolder({ folder, clock, isName: FILE, one: "object", all: "ConfigMaps and Secrets" });
    this.#listeners = new Listeners((error) => report("who watches ConfigMaps and Secrets", error));
  }

  /** Reads the stored objects. Damaged files are moved aside and reported as faults. */
  async load(fault: (fault: SourceFault) => void): Promise<void> {
    for (const [name, value] of await this.#files.read(fault)) {
      const object = (value ?? {}) as unknown as ApiObject;
      if (fileOf(object.kind, object.metadata ?? {}) !== name) this.#files.misnamed(name, fault);
      else this.#objects.set(keyOf(object.kind, object.metadata), object);
    }
  }

  /** By namespace and name. */
  list(): readonly ApiObject[] {
    const byName = [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1));
    return byName.map(([, object]) => object);
  }

  get(kind: ObjectKind, name: ObjectName): ApiObject | undefined {
    return this.#objects.get(keyOf(kind, name));
  }

  read(kind: "ConfigMap", name: ObjectName): Promise<ConfigMap | undefined>;
  read(kind: "Secret", name: ObjectName): Promise<Secret | undefined>;
  async read(kind: ObjectKind, name: ObjectName): Promise<ConfigMap | Secret | undefined> {
    return this.get(kind, name);
  }

  watch(listener: (change: ObjectChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** @throws INVALID for too many, and for a change of what is immutable */
  check(objects: readonly ApiObject[]): void {
    const fresh = objects.filter((object) => this.get(object.kind, object.metadata) === undefined);
    if (this.#objects.size + fresh.length > MAX_OBJECTS) {
      throw new NodeAgentError("INVALID", `More than ${MAX_OBJECTS} ConfigMaps and Secrets; delete some first`);
    }
    for (const object of objects) {
      const before = this.get(object.kind, object.metadata);
      if (before?.immutable !== true || sameContent(before, object)) continue;
      const text = `${subjectOf(object)} is immutable: its data cannot change. Delete it first, or apply it under another name.`;
      throw new NodeAgentError("INVALID", text);
    }
  }

  action(object: ApiObject): "created" | "configured" | "unchanged" {
    const before = this.get(object.kind, object.metadata);
    if (before === undefined) return "created";
    return isDeepStrictEqual(before, object) ? "unchanged" : "configured";
  }

  /** All of them on disk, then in use. Rejects with STATE_UNWRITABLE: some may be there by then, whole; apply again. */
  async put(objects: readonly ApiObject[]): Promise<void> {
    await this.#files.prepare();
    for (const object of objects) {
      await this.#files.write(fileOf(object.kind, object.metadata), object as unknown as Json);
      this.#objects.set(keyOf(object.kind, object.metadata), object);
      this.#listeners.tell({ kind: object.kind, name: nameOf(object) });
    }
  }

  /** False: there was none. Rejects with STATE_UNWRITABLE. */
  async delete(kind: ObjectKind, name: ObjectName): Promise<boolean> {
    const object = this.get(kind, name);
    if (object === undefined) return false;
    await this.#files.remove(fileOf(kind, name));
    this.#objects.delete(keyOf(kind, name));
    this.#listeners.tell({ kind, name });
    return true;
  }
}

/** `configmap/web`, with its namespace. */
export function subjectOf({ kind, metadata }: ApiObject): string {
  return `${kind.toLowerCase()}/${metadata.name}${metadata.namespace === "default" ? "" : ` (${metadata.namespace})`}`;
}

function fileOf(kind: ObjectKind, name: ObjectName): string {
  return `${createHash("sha256").update(keyOf(kind, name)).digest("hex")}.json`;
}

function keyOf(kind: ObjectKind, name: ObjectName): string {
  return `${kind}/${namespacedName(name)}`;
}

function nameOf({ metadata: { namespace, name } }: ApiObject): ObjectName {
  return { namespace, name };
}

function sameContent(one: ApiObject, other: ApiObject): boolean {
  const content = ({ metadata: _, ...rest }: ApiObject): unknown => rest;
  return isDeepStrictEqual(content(one), content(other));
}
