/** Lines with a level of two blanks each, as kubectl's describers write them. */
import { escapeControls } from "../escape.js";

export class DescribeWriter {
  readonly #lines: string[] = [];

  line(level: number, text: string): void {
    this.#lines.push(`${"  ".repeat(level)}${escapeControls(text)}`);
  }

  /** `Name:<tab>value`. */
  field(level: number, name: string, value: string | number): void {
    this.line(level, `${name}:\t${value}`);
  }

  time(level: number, name: string, time: string | null | undefined): void {
    if (time !== null && time !== undefined) this.field(level, name, rfc1123(time));
  }

  /** One line, or one a value under each other behind the first name; `<none>` without any. */
  map(name: string, values: Readonly<Record<string, string>> | undefined, join: string): void {
    const entries = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) this.field(0, name, "<none>");
    for (const [index, [key, value]] of entries.entries()) {
      const text = value.replace(/\s*\n\s*/g, " ");
      this.line(
        0,
        `${index === 0 ? `${name}:` : ""}\t${key}${join}${text.length > 140 ? `${text.slice(0, 137)}...` : text}`,
      );
    }
  }

  toString(): string {
    return this.#lines.join("\n");
  }
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** An RFC 3339 time as Go's RFC1123Z in UTC: `Sat, 21 Nov 2026 09:54:23 +0000`. */
function rfc1123(time: string): string {
  const at = new Date(Date.parse(time));
  const date = `${pad(at.getUTCDate())} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return `${DAYS[at.getUTCDay()]}, ${date} ${[at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(pad).join(":")} +0000`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
