/** For its tests, which are TypeScript. */
export function freeSubnet(name: string, taken: readonly string[]): string;
