-- A text of its own length, so that no two lists of texts read alike.
CREATE FUNCTION oikos_netstring(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value || ',', '-,')
$$;
--> statement-breakpoint
-- What is hashed of an event; shared/ledger.ts builds the same text to verify it.
CREATE FUNCTION oikos_ledger_hash(place bigint, prev text, event audit_events) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(
    oikos_netstring(place::text)
    || oikos_netstring(prev)
    || oikos_netstring(event.seq::text)
    || oikos_netstring((extract(epoch from event.at) * 1000)::bigint::text)
    || oikos_netstring(event.kind)
    || oikos_netstring(event.actor)
    || oikos_netstring(event.task_id::text)
    || oikos_netstring(event.execution_id::text)
    || oikos_netstring(event.approval_id::text)
    || oikos_netstring(event.event_id)
    || oikos_netstring(event.data::text), 'UTF8')), 'hex')
$$;
--> statement-breakpoint
-- At commit, when the transaction asks for no further row lock: the chain's own lock is always the
-- last one, so that it can be part of no deadlock, and it is held only while the commit is written.
CREATE FUNCTION oikos_chain_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last audit_chain;
  next bigint;
  prev text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('oikos-ledger', 0));
  SELECT * INTO last FROM audit_chain ORDER BY place DESC LIMIT 1;
  next := coalesce(last.place, 0) + 1;
  prev := coalesce(last.hash, repeat('0', 64));
  INSERT INTO audit_chain (place, event_seq, prev_hash, hash)
    VALUES (next, NEW.seq, prev, oikos_ledger_hash(next, prev, NEW));
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Events from before the chain take their places in the order they have.
DO $$
DECLARE
  event audit_events;
  place bigint := 0;
  prev text := repeat('0', 64);
  hash text;
BEGIN
  FOR event IN SELECT * FROM audit_events ORDER BY seq LOOP
    place := place + 1;
    hash := oikos_ledger_hash(place, prev, event);
    INSERT INTO audit_chain (place, event_seq, prev_hash, hash) VALUES (place, event.seq, prev, hash);
    prev := hash;
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER audit_events_chain AFTER INSERT ON audit_events
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION oikos_chain_event();
--> statement-breakpoint
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION oikos_refuse_change();
