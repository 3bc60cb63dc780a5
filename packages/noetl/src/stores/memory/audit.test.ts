import { auditContract } from '../../ports/audit.contract.testing.ts';
import { createMemoryAudit } from './audit.ts';

auditContract('memory', async () => ({ audit: createMemoryAudit(), close: async () => undefined }));
