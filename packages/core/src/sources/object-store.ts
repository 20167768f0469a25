/** ConfigMaps and Secrets of the control socket: kept over restarts, a checked file each that nobody else can read. */
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type ApiObject, namespacedName } from "@hooklet/manifest";
import type { ConfigMap, Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "../clock.js";
import { errorText, NodeAgentError } from "../errors.js";
import { whenGone } from "../lib/errno.js";
import type { Json } from "../lib/json.js";
import { Listeners } from "../lib/listeners.js";
import { encodeChecked, writeFileAtomic } from "../state/atomic-file.js";
import { openCheckpoint } from "../state/checkpoint.js";
import type { ObjectChange, ObjectKind, ObjectName, ObjectSource } from "./objects.js";
import type { SourceFault } from "./port.js";

const FILE = /^[0-9a-f]{64}\.json$/;
const MAX_OBJECTS = 10_000;

export class ObjectStore implements ObjectSource {
  readonly #objects = new Map<string, ApiObject>();
  readonly #listeners: Listeners<[ObjectChange]>;
  readonly #folder: string;

  /** `folder`: absolute; made when needed. */
  constructor(
    folder: string,
    private readonly clock: Clock,
    report: (where: string, error: unknown) => void = () => {},
  ) {
    this.#folder = folder;
    this.#listeners = new Listeners((error) => report("who watches ConfigMaps and Secrets", error));
  }

  /** Reads what is kept. Damaged files are set aside and told as faults. */
  async load(fault: (fault: SourceFault) => void): Promise<void> {
    for (const name of await this.#names(fault)) {
      const object = await this.#readOne(name, fault);
      if (object !== undefined) this.#objects.set(keyOf(object.kind, object.metadata), object);
    }
  }

  list(): readonly ApiObject[] {
    return [...this.#objects.values()];
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
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => {});
    for (const object of objects) {
      await writeFileAtomic(this.#path(object.kind, object.metadata), encodeChecked(object as unknown as Json));
      this.#objects.set(keyOf(object.kind, object.metadata), object);
      this.#listeners.tell({ kind: object.kind, name: nameOf(object) });
    }
  }

  /** False: there was none. Rejects with STATE_UNWRITABLE. */
  async delete(kind: ObjectKind, name: ObjectName): Promise<boolean> {
    const object = this.get(kind, name);
    if (object === undefined) return false;
    const path = this.#path(kind, name);
    await rm(path, { force: true }).catch((cause: unknown) => {
      const text = `Cannot delete ${path}: ${errorText(cause)}; the object stays; make the folder writable`;
      throw new NodeAgentError("STATE_UNWRITABLE", text, { cause });
    });
    this.#objects.delete(keyOf(kind, name));
    this.#listeners.tell({ kind, name });
    return true;
  }

  #path(kind: ObjectKind, name: ObjectName): string {
    return join(this.#folder, `${createHash("sha256").update(keyOf(kind, name)).digest("hex")}.json`);
  }

  async #names(fault: (fault: SourceFault) => void): Promise<readonly string[]> {
    try {
      return (await whenGone([], () => readdir(this.#folder))).filter((name) => FILE.test(name)).sort();
    } catch (error) {
      fault({ where: this.#folder, message: `ConfigMaps and Secrets cannot be read: ${errorText(error)}` });
      return [];
    }
  }

  async #readOne(name: string, fault: (fault: SourceFault) => void): Promise<ApiObject | undefined> {
    const path = join(this.#folder, name);
    const tell = (message: string): void => fault({ where: path, message });
    try {
      const file = openCheckpoint(path, {
        clock: this.clock,
        onDamaged: (_, aside, why) =>
          tell(`${why}; ${aside ? `set aside as ${aside}` : "left in place"}; apply its object again`),
      });
      const object = (await file.read()) as unknown as ApiObject | undefined;
      if (object === undefined) return undefined;
      if (this.#path(object.kind, object.metadata ?? {}) === path) return object;
      tell("it does not hold the object that its name says; apply the object again and delete this file");
    } catch (error) {
      tell(errorText(error));
    }
    return undefined;
  }
}

/** `configmap/web`, with its namespace. */
export function subjectOf({ kind, metadata }: ApiObject): string {
  return `${kind.toLowerCase()}/${metadata.name}${metadata.namespace === "default" ? "" : ` (${metadata.namespace})`}`;
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
