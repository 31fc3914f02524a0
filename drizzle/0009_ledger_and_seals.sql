CREATE TABLE "audit_chain" (
	"place" bigint PRIMARY KEY NOT NULL,
	"event_seq" bigint NOT NULL,
	"prev_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_chain_event_seq_unique" UNIQUE("event_seq")
);
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "windows" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "entities" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "gate_settings" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "standing_rules" ADD COLUMN "seal" text;--> statement-breakpoint
CREATE INDEX "executions_of_batch" ON "executions" USING btree ("batch_id") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "audit_of_task" ON "audit_events" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "audit_of_settings" ON "audit_events" USING btree ("at") WHERE kind = 'gate.setting_changed';--> statement-breakpoint
CREATE INDEX "audit_of_rules" ON "audit_events" USING btree (("data" ->> 'rule'),"at") WHERE kind in ('rule.used', 'rule.revoked');