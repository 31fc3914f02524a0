ALTER TABLE "api_tokens" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "matrix_inbox" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "clock_offset" ADD COLUMN "seal" text;--> statement-breakpoint
CREATE INDEX "audit_lasting" ON "audit_events" USING btree ("kind","seq") WHERE kind in ('person.locked', 'person.unlocked', 'room.listed', 'room.unlisted', 'token.revoked', 'gate.setting_changed', 'rule.revoked');