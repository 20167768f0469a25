/** Something that happens once; its first value stays. */
export class Signal<T> {
  readonly happened: Promise<T>;
  #value: { readonly value: T } | undefined;
  #resolve: (value: T) => void = () => {};

  constructor() {
    this.happened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSet(): boolean {
    return this.#value !== undefined;
  }

  get value(): T | undefined {
    return this.#value?.value;
  }

  set(value: T): void {
    if (this.#value !== undefined) return;
    this.#value = { value };
    this.#resolve(value);
  }
}
