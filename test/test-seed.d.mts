/** For its tests, which are TypeScript. */
export function testSeed(given: string | undefined, tell?: (text: string) => void): number;
