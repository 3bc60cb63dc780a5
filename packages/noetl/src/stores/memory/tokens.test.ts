import { tokensContract } from '../../ports/tokens.contract.testing.ts';
import { createMemoryTokens } from './tokens.ts';

tokensContract('memory', async () => ({ tokens: createMemoryTokens(), close: async () => undefined }));
