CREATE TABLE "standing_rules" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"number" serial NOT NULL,
	"kind" text NOT NULL,
	"agent" text NOT NULL,
	"room_id" text NOT NULL,
	"event_id" text NOT NULL,
	"execution_id" uuid,
	"argv" jsonb NOT NULL,
	"target_kind" text NOT NULL,
	"target_slug" text NOT NULL,
	"target_name" text NOT NULL,
	"host_slug" text NOT NULL,
	"vmid" integer,
	"root_volume" text,
	"host_key" text,
	"daily_cap" integer NOT NULL,
	"allowed_by" text NOT NULL,
	"allowed_at" timestamp (3) with time zone,
	"confirmed_event" text,
	"shown_seq" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	CONSTRAINT "standing_rules__kind" CHECK (kind in ('pattern', 'rule'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "rule_number" ON "standing_rules" USING btree ("number");--> statement-breakpoint
CREATE UNIQUE INDEX "one_rule_an_event" ON "standing_rules" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "rules_of_target" ON "standing_rules" USING btree ("target_slug");--> statement-breakpoint
CREATE INDEX "executions_by_rule" ON "executions" USING btree (("authorization" ->> 'ruleId'),"approved_at") WHERE "executions"."authorization" ->> 'ruleId' is not null;