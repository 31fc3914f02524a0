-- The one clock: the database's, moved only by the row of clock_offset (empty outside tests).
CREATE FUNCTION oikos_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + coalesce((SELECT ms FROM clock_offset LIMIT 1), 0) * interval '1 millisecond'
$$;
--> statement-breakpoint
CREATE FUNCTION oikos_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION oikos_refuse_change();
--> statement-breakpoint
CREATE TRIGGER decisions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON decisions
  FOR EACH STATEMENT EXECUTE FUNCTION oikos_refuse_change();
--> statement-breakpoint
CREATE FUNCTION oikos_ring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], CASE TG_ARGV[0] WHEN 'oikos_execution' THEN NEW.id::text ELSE '' END);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER outbox_rings AFTER INSERT ON outbox
  FOR EACH ROW EXECUTE FUNCTION oikos_ring('oikos_outbox');
--> statement-breakpoint
CREATE TRIGGER turns_ring AFTER INSERT ON turns
  FOR EACH ROW EXECUTE FUNCTION oikos_ring('oikos_turn');
--> statement-breakpoint
CREATE TRIGGER executions_ring AFTER INSERT OR UPDATE OF status, cancel_requested_at ON executions
  FOR EACH ROW EXECUTE FUNCTION oikos_ring('oikos_execution');
