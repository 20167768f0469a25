/** ConfigMaps and Secrets of a test: what is set is what pods get, from the next read on. */
import type { ApiObject, ObjectChange, ObjectKind, ObjectName, ObjectSource, ObjectsPort } from "@hooklet/core";

export class TestObjects implements ObjectsPort {
  /** What further a source may have: tokens, services. */
  extras: Pick<ObjectSource, "createToken" | "services"> = {};
  /** What reads reject with, while it is set. */
  failure: Error | undefined;
  readonly #objects = new Map<string, ApiObject>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();

  of(): ObjectSource {
    const read = async (kind: ObjectKind, { namespace, name }: ObjectName) => {
      if (this.failure !== undefined) throw this.failure;
      return this.#objects.get(`${kind}/${namespace}/${name}`);
    };
    return { read: read as ObjectSource["read"], watch: (listener) => this.watch(listener), ...this.extras };
  }

  watch(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  applied(): readonly ApiObject[] {
    return [...this.#objects.values()];
  }

  set(object: ApiObject): void {
    const { namespace, name } = object.metadata;
    this.#objects.set(`${object.kind}/${namespace}/${name}`, object);
    this.#tell({ kind: object.kind, name: { namespace, name } });
  }

  delete(kind: ObjectKind, name: ObjectName): void {
    this.#objects.delete(`${kind}/${name.namespace}/${name.name}`);
    this.#tell({ kind, name });
  }

  #tell(change: ObjectChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
