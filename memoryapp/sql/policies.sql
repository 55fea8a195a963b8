-- Who may do what: the application's role sees one user's rows, the user of its transaction.
-- {app} is the application's role. Partitions are reached through their parent alone.
-- Migration 0001 runs this file as it stands: what comes later is a migration of its own.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{app}') THEN
        BEGIN
            CREATE ROLE {app} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'the role {app} is missing and this role may not create it'
                    USING HINT = 'Run `manage.py setup_database --admin-url …` first.';
        END;
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO {app};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {app};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {app};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {app};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {app};
REVOKE UPDATE, DELETE ON memoryapp_auditevent FROM {app};
REVOKE UPDATE, DELETE ON memoryapp_erasurereceipt FROM {app};
REVOKE UPDATE, DELETE ON memoryapp_idempotencykey FROM {app};
GRANT UPDATE (storage_completed_at) ON memoryapp_erasurereceipt TO {app};
GRANT DELETE ON memoryapp_idempotencykey TO {app};

-- The bound user. After a transaction the setting is '' rather than NULL, hence nullif.
CREATE FUNCTION memoryapp_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('app.user_id', true), '')::uuid
$$;
-- True in a transaction opened for an active member of staff who reads as an auditor.
CREATE FUNCTION memoryapp_is_auditor() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM accounts_user
        WHERE id = nullif(current_setting('app.auditor', true), '')::uuid
            AND is_staff AND is_active)
$$;

DO $$
DECLARE
    owned record;
BEGIN
    FOR owned IN
        SELECT c.relname AS name, c.relispartition AS partition
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
        WHERE c.relkind IN ('r', 'p') AND c.relname LIKE 'memoryapp\_%'
            AND EXISTS (SELECT FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped)
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', owned.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', owned.name);
        IF owned.partition THEN
            EXECUTE format('REVOKE ALL ON %I FROM {app}', owned.name);
        END IF;
        EXECUTE format(
            'CREATE POLICY own_rows ON %I USING (user_id = '
            'nullif(current_setting(''app.user_id'', true), '''')::uuid) '
            'WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), '''')::uuid)',
            owned.name);
        EXECUTE format(
            'CREATE POLICY auditor_reads ON %I FOR SELECT USING ((SELECT memoryapp_is_auditor()))',
            owned.name);
    END LOOP;
END $$;

-- The sweep sees which conversations wait, across users: ids and times, no content.
CREATE POLICY relay_reads ON memoryapp_outbox FOR SELECT
    USING (current_setting('app.relay', true) = 'on');
