import type { Command } from "commander";

/** Markdown: the help of every command. */
export function commandPage(root: Command): string;
