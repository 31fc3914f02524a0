CREATE TABLE "api_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"operator" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "locks" (
	"person" text PRIMARY KEY NOT NULL,
	"locked_by" text NOT NULL,
	"locked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "turns" DROP CONSTRAINT "turns__trigger";--> statement-breakpoint
ALTER TABLE "outbox" DROP CONSTRAINT "outbox__type";--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "reminded_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "windows" ADD COLUMN "end_told" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "only_ask" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "not_before" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "listed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "listed_by" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "paused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "paused_by" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "warned_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "api_tokens_of_operator" ON "api_tokens" USING btree ("operator");--> statement-breakpoint
ALTER TABLE "turns" ADD CONSTRAINT "turns__trigger" CHECK (trigger in ('message', 'continuation', 'decision', 'triage', 'command'));--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox__type" CHECK (type in ('turn.ended', 'execution.waiting', 'execution.approved', 'execution.running', 'execution.ended', 'execution.shown', 'approval.decided', 'approval.reminder', 'window.opened', 'window.closed', 'task.status', 'room.say'));