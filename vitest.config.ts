import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most of the time they wait for servers, not for a core.
    maxWorkers: 4,
    coverage: {
      provider: 'v8',
      include: ['bot/**/*.ts', 'daemon/**/*.ts', 'shared/**/*.ts'],
      exclude: ['**/main.ts'],
      reporter: ['text-summary'],
      thresholds: { 'shared/domain/**': { 100: true } },
    },
    projects: [
      {
        test: {
          name: 'unit',
          testTimeout: 30_000,
          include: ['{bot,daemon,shared,cli,lab,scripts}/**/*.test.ts', 'test/corpus/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
          fileParallelism: false,
          testTimeout: 90_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
