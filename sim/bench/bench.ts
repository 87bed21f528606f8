export async function runBench(_options: { only: string }): Promise<void> {}
