/** Where in a manifest: `spec.containers[0].ports[1].name`. */
export class FieldPath {
  static readonly root = new FieldPath(undefined, "", "");

  private constructor(
    readonly parent: FieldPath | undefined,
    readonly segment: string | number,
    private readonly text: string,
  ) {}

  /** A field of an object. */
  child(name: string): FieldPath {
    return new FieldPath(this, name, this.text === "" ? name : `${this.text}.${name}`);
  }

  /** An item of a list. */
  index(index: number): FieldPath {
    return new FieldPath(this, index, `${this.text}[${index}]`);
  }

  /** A value of a map. */
  key(key: string): FieldPath {
    return new FieldPath(this, key, `${this.text}[${key}]`);
  }

  /** From the root down, without the root. */
  segments(): readonly (string | number)[] {
    return this.parent === undefined ? [] : [...this.parent.segments(), this.segment];
  }

  toString(): string {
    return this.text;
  }
}
