/** Where in a file the syntax is wrong: Node's own error of an import does not say it. */
import { readFile } from "node:fs/promises";
import { isRecord } from "@hooklet/manifest";

/** Lines that are shown before the faulty one, and behind it. */
const BEFORE = 2;
const BEHIND = 1;

interface SyntaxFault {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** The error with file, line, column and a few lines of the file, where it is one of syntax in this file; otherwise the error itself. */
export async function withPlace(error: unknown, file: string): Promise<unknown> {
  const fault = faultOf(error) ?? (error instanceof SyntaxError ? await parseFault(file) : undefined);
  if (fault === undefined) return error;
  const text = await readFile(file, "utf8").catch(() => "");
  const place = `${file}:${fault.line}:${fault.column + 1}`;
  const advice = /not supported in strip-only mode/.test(fault.message)
    ? " Only types are taken away: write it as plain JavaScript, or compile the file first."
    : "";
  return new SyntaxError(`${fault.message} (${place})${advice}\n${codeFrame(text, fault)}`, { cause: error });
}

/** What the stripper of types throws is a plain object. */
function faultOf(error: unknown): SyntaxFault | undefined {
  if (!isRecord(error) || typeof error.message !== "string" || typeof error.startLine !== "number") return undefined;
  return { message: error.message, line: error.startLine, column: Number(error.startColumn ?? 0) };
}

/** What is JavaScript is TypeScript as well, so its parser finds the place in both. */
async function parseFault(file: string): Promise<SyntaxFault | undefined> {
  try {
    const { transform } = await import("@swc/wasm-typescript");
    await transform(await readFile(file, "utf8"), { filename: file, mode: "strip-only", module: true });
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

function codeFrame(text: string, { line, column }: SyntaxFault): string {
  const lines = text.split("\n");
  const first = Math.max(1, line - BEFORE);
  const last = Math.min(lines.length, line + BEHIND);
  const width = String(last).length;
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .flatMap((number) => {
      const row = `${number === line ? ">" : " "} ${String(number).padStart(width)} | ${(lines[number - 1] ?? "").slice(0, 160)}`;
      return number === line ? [row, `  ${" ".repeat(width)} | ${" ".repeat(Math.min(column, 160))}^`] : [row];
    })
    .join("\n");
}
