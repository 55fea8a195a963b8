-- What happened in memories, the endpoints that hear of it, and what was sent to them: ids,
-- times and words of ours, never content. {app} is the application's role.

-- One row of numbers for all: a number is taken while the user's log is locked, so that, for
-- one user, the order of the numbers is the order of the commits.
CREATE SEQUENCE memoryapp_memoryevent_seq;
CREATE TABLE memoryapp_memoryevent (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    type varchar(40) NOT NULL,
    data jsonb NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);
-- What came after the last one that a stream has seen.
CREATE UNIQUE INDEX memoryapp_memoryevent_order ON memoryapp_memoryevent (user_id, seq);
-- What is old enough to go, and what is sent again by time.
CREATE INDEX memoryapp_memoryevent_at ON memoryapp_memoryevent (user_id, at);

CREATE TABLE memoryapp_webhookendpoint (
    id uuid PRIMARY KEY,
    application_id uuid NOT NULL REFERENCES accounts_application (id) ON DELETE CASCADE,
    url varchar(2000) NOT NULL CHECK (url <> ''),
    description varchar(200) NOT NULL,
    events varchar(40)[] NOT NULL,
    salt bytea NOT NULL,
    check_hash bytea NOT NULL,
    previous_salt bytea,
    previous_until timestamptz,
    created_at timestamptz NOT NULL,
    disabled_at timestamptz,
    disabled_reason varchar(20) NOT NULL,
    failing_since timestamptz,
    last_success_at timestamptz
);
CREATE INDEX memoryapp_webhookendpoint_application
    ON memoryapp_webhookendpoint (application_id);

CREATE TABLE memoryapp_webhookdelivery (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    event_id uuid NOT NULL,
    -- No foreign key: it belongs to no user, and may be deleted while this is on its way.
    endpoint uuid NOT NULL,
    state varchar(10) NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    created_at timestamptz NOT NULL,
    not_before timestamptz NOT NULL,
    claimed_until timestamptz,
    attempts integer NOT NULL CHECK (attempts >= 0),
    ended_at timestamptz,
    status smallint,
    error varchar(40) NOT NULL,
    log jsonb NOT NULL,
    PRIMARY KEY (user_id, id),
    -- An event goes to an endpoint once; sent again, it is the same row.
    UNIQUE (user_id, event_id, endpoint),
    FOREIGN KEY (user_id, event_id)
        REFERENCES memoryapp_memoryevent (user_id, id) ON DELETE CASCADE
);
-- The sweep's query, across users.
CREATE INDEX memoryapp_webhookdelivery_due ON memoryapp_webhookdelivery (not_before)
    WHERE state = 'pending';
-- An endpoint's own list, newest first, across users.
CREATE INDEX memoryapp_webhookdelivery_endpoint ON memoryapp_webhookdelivery (endpoint, id);
-- How many are on their way to an endpoint at this moment.
CREATE INDEX memoryapp_webhookdelivery_claimed ON memoryapp_webhookdelivery (endpoint)
    WHERE claimed_until IS NOT NULL;

GRANT USAGE, SELECT ON SEQUENCE memoryapp_memoryevent_seq TO {app};
GRANT SELECT, INSERT, UPDATE, DELETE
    ON memoryapp_memoryevent, memoryapp_webhookendpoint, memoryapp_webhookdelivery TO {app};
REVOKE UPDATE ON memoryapp_memoryevent FROM {app};
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['memoryapp_memoryevent', 'memoryapp_webhookdelivery'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I USING (user_id = '
            'nullif(current_setting(''app.user_id'', true), '''')::uuid) '
            'WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), '''')::uuid)',
            name);
        EXECUTE format(
            'CREATE POLICY auditor_reads ON %I FOR SELECT '
            'USING ((SELECT memoryapp_is_auditor()))', name);
        -- Sweeps, an endpoint's list of deliveries, and the streams' look for what a lost
        -- notice left unseen go across users.
        EXECUTE format(
            'CREATE POLICY relay_reads ON %I FOR SELECT '
            'USING (current_setting(''app.relay'', true) = ''on'')', name);
    END LOOP;
END $$;
