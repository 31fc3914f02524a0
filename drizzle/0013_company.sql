ALTER TABLE "rooms" ADD COLUMN "ops" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "people" integer;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "bridged" boolean DEFAULT false NOT NULL;