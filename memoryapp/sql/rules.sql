-- What the user lets be remembered: a pause with an end, topics never to remember, how long
-- each kind keeps, and conversations that teach nothing. {app} is the application's role.

ALTER TABLE memoryapp_memorysettings
    ADD COLUMN paused_until timestamptz,
    ADD COLUMN expiry jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(expiry) = 'object'),
    ADD COLUMN review_keys boolean NOT NULL DEFAULT true;
ALTER TABLE memoryapp_memorysettings
    ALTER COLUMN expiry DROP DEFAULT,
    ALTER COLUMN review_keys DROP DEFAULT;

ALTER TABLE memoryapp_conversation
    ADD COLUMN learning varchar(10) NOT NULL DEFAULT 'on'
        CHECK (learning IN ('on', 'off', 'temporary'));
ALTER TABLE memoryapp_conversation ALTER COLUMN learning DROP DEFAULT;

-- One of the four says what it is about.
CREATE TABLE memoryapp_nevertopic (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    words varchar(200) NOT NULL,
    attribute varchar(80) NOT NULL,
    area varchar(20) NOT NULL,
    sensitivity varchar(20) NOT NULL,
    created_at timestamptz NOT NULL,
    left_out integer NOT NULL CHECK (left_out >= 0),
    last_left_out_at timestamptz,
    PRIMARY KEY (user_id, id),
    CHECK ((words <> '')::int + (attribute <> '')::int + (area <> '')::int
        + (sensitivity <> '')::int = 1)
);
ALTER TABLE memoryapp_nevertopic ALTER COLUMN words SET STATISTICS 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_nevertopic TO {app};
ALTER TABLE memoryapp_nevertopic ENABLE ROW LEVEL SECURITY;
ALTER TABLE memoryapp_nevertopic FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memoryapp_nevertopic
    USING (user_id = nullif(current_setting('app.user_id', true), '')::uuid)
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY auditor_reads ON memoryapp_nevertopic FOR SELECT
    USING ((SELECT memoryapp_is_auditor()));
