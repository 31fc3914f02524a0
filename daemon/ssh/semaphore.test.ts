import { expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

it('lets in as many as there are places, the next when one leaves, and counts no leaving twice', async () => {
  const semaphore = createSemaphore(2);
  const leaveFirst = await semaphore.take();
  await semaphore.take();
  const order: string[] = [];
  const third = semaphore.take().then(() => order.push('third'));
  const fourth = semaphore.take().then(() => order.push('fourth'));
  leaveFirst();
  leaveFirst();
  await third;
  expect(order).toEqual(['third']);
  expect(await Promise.race([fourth, 'still waiting'])).toBe('still waiting');
});
