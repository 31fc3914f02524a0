import { describe, expect, it } from 'vitest';
import { readInfo } from './inspect.ts';

const REDIS = [
  '# Server',
  'redis_version:7.2.4',
  'executable:/usr/bin/redis:server',
  '# Memory',
  'maxmemory_policy:allkeys-lru',
  '# Persistence',
  'aof_enabled:0',
  '# Replication',
  'role:slave',
].join('\r\n');

describe('readInfo', () => {
  it('reads what Redis says of itself', () => {
    expect(readInfo(REDIS)).toEqual({
      version: 'Redis 7.2.4',
      evictionPolicy: 'allkeys-lru',
      replica: true,
      persistent: false,
    });
  });

  it('names Valkey by its own version', () => {
    const info = `${REDIS}\r\nvalkey_version:9.1.2\r\n`;
    expect(readInfo(info).version).toBe('Valkey 9.1.2');
  });
});
