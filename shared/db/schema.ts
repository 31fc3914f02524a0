// One file a group of tables; everybody else imports from here.
export * from './schema/approvals.ts';
export * from './schema/executions.ts';
export * from './schema/fleet.ts';
export * from './schema/gate-settings.ts';
export * from './schema/people.ts';
export * from './schema/rules.ts';
export * from './schema/tasks.ts';
export * from './schema/telling.ts';
export * from './schema/time.ts';
