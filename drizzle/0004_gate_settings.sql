CREATE TABLE "gate_settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"updated_by" text NOT NULL,
	CONSTRAINT "gate_settings__key" CHECK (key in ('policy', 'self', 'floors'))
);
--> statement-breakpoint
CREATE TABLE "own_places" (
	"process" text PRIMARY KEY NOT NULL,
	"folders" jsonb NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
