import { loadSuite } from '../kit/suites.ts';

await loadSuite(import.meta.url);
