ALTER TABLE "executions" ADD COLUMN "unreachable_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "quiet_since" timestamp (3) with time zone;