import { type Batch, tellBatch } from './batch.testing.ts';

/** A process that tells what it is asked for, until nobody is there to ask. */
process.on('message', async (batch: Batch) => process.send?.(await tellBatch(batch)));
process.on('disconnect', () => process.exit());
