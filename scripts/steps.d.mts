/** For their tests, which are TypeScript. */
export function buildProgress(): { hears(line: string): boolean; text(): string };
