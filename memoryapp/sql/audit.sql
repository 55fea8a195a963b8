-- The log's chain: sequence and hash are given by the database, under a lock per user that
-- is taken last in a transaction; changing or removing a row is refused.
-- Migration 0001 runs this file as it stands: what comes later is a migration of its own.

CREATE FUNCTION memoryapp_audit_hash(
    user_id uuid, seq bigint, at timestamptz, actor text, action text, object text,
    details jsonb, previous bytea
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(previous || convert_to(jsonb_build_array(
        user_id, seq, extract(epoch FROM at)::text, actor, action, object, details)::text, 'UTF8'))
$$;

CREATE FUNCTION memoryapp_audit_append() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_seq bigint;
    last_hash bytea;
BEGIN
    PERFORM pg_advisory_xact_lock(1835364705, hashtext(NEW.user_id::text));
    SELECT e.seq, e.hash INTO last_seq, last_hash
        FROM memoryapp_auditevent e WHERE e.user_id = NEW.user_id ORDER BY e.seq DESC LIMIT 1;
    NEW.seq := coalesce(last_seq, 0) + 1;
    NEW.previous_hash := coalesce(last_hash, ''::bytea);
    NEW.hash := memoryapp_audit_hash(NEW.user_id, NEW.seq, NEW.at, NEW.actor, NEW.action,
        NEW.object, NEW.details, NEW.previous_hash);
    RETURN NEW;
END $$;

CREATE FUNCTION memoryapp_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER memoryapp_auditevent_append BEFORE INSERT ON memoryapp_auditevent
    FOR EACH ROW EXECUTE FUNCTION memoryapp_audit_append();
CREATE TRIGGER memoryapp_auditevent_keep BEFORE UPDATE OR DELETE ON memoryapp_auditevent
    FOR EACH ROW EXECUTE FUNCTION memoryapp_audit_refuse();
CREATE TRIGGER memoryapp_auditevent_keep_all BEFORE TRUNCATE ON memoryapp_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION memoryapp_audit_refuse();
