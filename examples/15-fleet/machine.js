// A machine of the fleet: takes rows from Redis and draws them on all its cores, until it is told to stop.
import { serve } from '@threadwise/bullmq';

const service = serve(new URL('./tasks.js', import.meta.url), {
  queue: 'rows',
  connection: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
  // How many milliseconds after SIGTERM running rows may take to end; the others are given to other machines.
  closeTimeoutMs: Number(process.env.SHUTDOWN_TIMEOUT_MS ?? 20_000),
  onError: (error) => console.error(error.message),
});
await service.ready;
console.log(`${service.stats().name} draws`);
