-- Tokens used, by user and day and by day alone. {app} is the application's role.

CREATE TABLE memoryapp_tokenuse (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    day date NOT NULL,
    tokens bigint NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (user_id, id),
    -- Found by the reservation before each call to a model.
    CONSTRAINT memoryapp_tokenuse_day UNIQUE (user_id, day)
);

CREATE TABLE memoryapp_tokenday (
    day date PRIMARY KEY,
    tokens bigint NOT NULL CHECK (tokens >= 0)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_tokenuse, memoryapp_tokenday TO {app};
ALTER TABLE memoryapp_tokenuse ENABLE ROW LEVEL SECURITY;
ALTER TABLE memoryapp_tokenuse FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memoryapp_tokenuse USING (user_id =
    nullif(current_setting('app.user_id', true), '')::uuid)
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY auditor_reads ON memoryapp_tokenuse FOR SELECT
    USING ((SELECT memoryapp_is_auditor()));
