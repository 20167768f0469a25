// For tests, which are TypeScript.
export function testSeed(given: string | undefined, tell?: (text: string) => void): number;
export function testRuns(count: number, least?: number): number;
