import { catalogContract } from '../../ports/catalog.contract.testing.ts';
import { createMemoryCatalog } from './catalog.ts';

catalogContract('memory', async () => ({ catalog: createMemoryCatalog(), close: async () => undefined }));
