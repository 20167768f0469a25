import { constants } from "node:fs";
import { dirname } from "node:path";
import { disk } from "@hooklet/linux";

/** Writes a container's output as CRI log lines; text that does not end its line is a partial line (`P`). */
export class LogFile {
  readonly #path: string;
  readonly #now: () => number;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  /** Makes the file; a log exists from the start of its container. */
  open(): void {
    disk.mkdirSync(dirname(this.#path), { recursive: true });
    this.#append("");
  }

  write(stream: "stdout" | "stderr", text: string): void {
    const time = new Date(this.#now()).toISOString().replace("Z", "000000Z");
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const records = lines.map((line) =>
      line.endsWith("\n") ? `${time} ${stream} F ${line}` : `${time} ${stream} P ${line}\n`,
    );
    if (records.length > 0) this.#append(records.join(""));
  }

  #append(text: string): void {
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    const file = disk.openSync(this.#path, O_WRONLY | O_APPEND | O_CREAT, 0o666);
    disk.writeFileSync(file, text);
    disk.closeSync(file);
  }
}
