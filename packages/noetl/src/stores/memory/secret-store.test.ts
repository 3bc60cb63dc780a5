import { secretStoreContract } from '../../ports/secret-store.contract.testing.ts';
import { createMemorySecrets } from './secret-store.ts';

secretStoreContract('memory', async () => ({ secrets: createMemorySecrets(), close: async () => undefined }));
