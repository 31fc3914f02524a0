CREATE TABLE "agent_sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"number" integer NOT NULL,
	"room_id" text NOT NULL,
	"thread_root" text,
	"agent" text NOT NULL,
	"goal" text NOT NULL,
	"status" text NOT NULL,
	"outcome" text,
	"summary" text,
	"read_seq" integer DEFAULT 0 NOT NULL,
	"stop_epoch" integer DEFAULT 0 NOT NULL,
	"continuations" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_active_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	CONSTRAINT "agent_sessions__status" CHECK (status in ('open', 'waiting', 'done', 'abandoned'))
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"execution_id" uuid NOT NULL,
	"task_id" uuid NOT NULL,
	"room_id" text NOT NULL,
	"status" text NOT NULL,
	"phrase_verb" text,
	"phrase_object" text,
	"phrase_aliases" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"card_event" text,
	"card_seq" bigint,
	"shown_seq" bigint,
	"shown_ts" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "approvals_execution_id_unique" UNIQUE("execution_id"),
	CONSTRAINT "approvals__status" CHECK (status in ('pending', 'granted', 'denied', 'expired', 'withdrawn', 'revoked'))
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"actor" text NOT NULL,
	"task_id" uuid,
	"execution_id" uuid,
	"approval_id" uuid,
	"event_id" text,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "clock_offset" (
	"ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "decisions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"approval_id" uuid NOT NULL,
	"decision" text NOT NULL,
	"by" text NOT NULL,
	"how" text NOT NULL,
	"words" text,
	"event_id" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "decisions__decision" CHECK (decision in ('granted', 'denied')),
	CONSTRAINT "decisions__how" CHECK (how in ('words', 'reaction', 'reply', 'typed', 'cli', 'http'))
);
--> statement-breakpoint
CREATE TABLE "entities" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"type" text NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "entities_slug_unique" UNIQUE("slug"),
	CONSTRAINT "entities__type" CHECK (type in ('host', 'lxc', 'vm', 'task', 'agent'))
);
--> statement-breakpoint
CREATE TABLE "execution_output" (
	"execution_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"stream" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "execution_output_execution_id_seq_pk" PRIMARY KEY("execution_id","seq")
);
--> statement-breakpoint
CREATE TABLE "executions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"number" integer,
	"room_id" text NOT NULL,
	"task_id" uuid NOT NULL,
	"turn_id" uuid,
	"call_key" text NOT NULL,
	"batch_id" uuid,
	"agent" text NOT NULL,
	"requested_by" text NOT NULL,
	"status" text NOT NULL,
	"target_kind" text NOT NULL,
	"target_slug" text NOT NULL,
	"target_name" text NOT NULL,
	"host_slug" text NOT NULL,
	"vmid" integer,
	"dialect" text NOT NULL,
	"command" text NOT NULL,
	"spec_hash" text NOT NULL,
	"purpose" text NOT NULL,
	"provenance" text,
	"declared_risk" text,
	"risk" text NOT NULL,
	"gate" jsonb NOT NULL,
	"authorization" jsonb,
	"time_limit_ms" integer NOT NULL,
	"site" text NOT NULL,
	"proposed_at" timestamp (3) with time zone NOT NULL,
	"approved_at" timestamp (3) with time zone,
	"not_after" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"exit_code" integer,
	"signal" text,
	"reason" text,
	"output_bytes" bigint DEFAULT 0 NOT NULL,
	"output_cut" boolean DEFAULT false NOT NULL,
	"cancel_requested_at" timestamp (3) with time zone,
	"cancel_requested_by" text,
	"owner" text,
	"lease_until" timestamp (3) with time zone,
	"seen_in_turn" uuid,
	"card_event" text,
	CONSTRAINT "executions_call_key_unique" UNIQUE("call_key"),
	CONSTRAINT "executions__status" CHECK (status in ('proposed', 'pending_approval', 'approved', 'running', 'completed', 'failed', 'denied', 'expired', 'cancelled', 'refused', 'lost')),
	CONSTRAINT "executions__risk" CHECK (risk in ('read_only', 'reversible_low', 'config_mutation', 'destructive'))
);
--> statement-breakpoint
CREATE TABLE "matrix_inbox" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL,
	"room_id" text NOT NULL,
	"sender" text NOT NULL,
	"type" text NOT NULL,
	"state_key" text,
	"content" jsonb NOT NULL,
	"redacts" text,
	"origin_ts" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	CONSTRAINT "matrix_inbox_event_id_unique" UNIQUE("event_id")
);
--> statement-breakpoint
CREATE TABLE "matrix_state" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"turn_id" uuid,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"calls" jsonb,
	"extra" jsonb,
	"call_key" text,
	"call_id" text,
	"origins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"read_seq" integer,
	"sender" text,
	"event_id" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "messages_call_key_unique" UNIQUE("call_key")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"type" text NOT NULL,
	"room_id" text NOT NULL,
	"task_id" uuid,
	"turn_id" uuid,
	"execution_id" uuid,
	"approval_id" uuid,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"told_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failed_reason" text,
	CONSTRAINT "outbox__type" CHECK (type in ('turn.ended', 'execution.waiting', 'execution.approved', 'execution.running', 'execution.ended', 'approval.decided', 'window.opened', 'window.closed', 'task.status', 'room.say'))
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"room_id" text PRIMARY KEY NOT NULL,
	"last_card" integer DEFAULT 0 NOT NULL,
	"last_task" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "turns" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"seq" bigserial NOT NULL,
	"task_id" uuid NOT NULL,
	"trigger" text NOT NULL,
	"requested_by" text NOT NULL,
	"by_operator" boolean NOT NULL,
	"stop_epoch" integer NOT NULL,
	"status" text NOT NULL,
	"outcome" text,
	"answer" text,
	"error" text,
	"source_event" text,
	"progress_event" text,
	"steps" integer DEFAULT 0 NOT NULL,
	"prompt_tokens" integer DEFAULT 0 NOT NULL,
	"completion_tokens" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "turns__status" CHECK (status in ('queued', 'running', 'ended')),
	CONSTRAINT "turns__trigger" CHECK (trigger in ('message', 'continuation', 'decision', 'triage'))
);
--> statement-breakpoint
CREATE TABLE "windows" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"agent" text NOT NULL,
	"task_id" uuid NOT NULL,
	"object" text,
	"opened_by" text NOT NULL,
	"approval_id" uuid NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"covers_seq" integer NOT NULL,
	CONSTRAINT "windows__kind" CHECK (kind in ('assent', 'destructive'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "one_open_task_a_place" ON "agent_sessions" USING btree ("room_id",coalesce("thread_root", '')) WHERE status in ('open', 'waiting');--> statement-breakpoint
CREATE UNIQUE INDEX "task_number_a_room" ON "agent_sessions" USING btree ("room_id","number");--> statement-breakpoint
CREATE INDEX "approvals_pending" ON "approvals" USING btree ("room_id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "audit_of_execution" ON "audit_events" USING btree ("execution_id");--> statement-breakpoint
CREATE UNIQUE INDEX "card_number_a_room" ON "executions" USING btree ("room_id","number");--> statement-breakpoint
CREATE INDEX "executions_of_task" ON "executions" USING btree ("task_id","status");--> statement-breakpoint
CREATE INDEX "executions_alive" ON "executions" USING btree ("status","approved_at") WHERE status in ('proposed', 'pending_approval', 'approved', 'running');--> statement-breakpoint
CREATE INDEX "inbox_new" ON "matrix_inbox" USING btree ("seq") WHERE status = 'new';--> statement-breakpoint
CREATE INDEX "inbox_of_room" ON "matrix_inbox" USING btree ("room_id","seq");--> statement-breakpoint
CREATE INDEX "messages_of_task" ON "messages" USING btree ("task_id","seq");--> statement-breakpoint
CREATE INDEX "outbox_untold" ON "outbox" USING btree ("seq") WHERE told_at is null and failed_reason is null;--> statement-breakpoint
CREATE UNIQUE INDEX "one_running_turn_a_task" ON "turns" USING btree ("task_id") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "turns_waiting" ON "turns" USING btree ("seq") WHERE status <> 'ended';--> statement-breakpoint
CREATE INDEX "windows_of_task" ON "windows" USING btree ("task_id");