-- Names that mean the same person or pet as another, by the user's word. {app} is the
-- application's role.

CREATE TABLE memoryapp_subjectalias (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    alias varchar(120) NOT NULL CHECK (alias NOT IN ('', 'user')),
    subject varchar(120) NOT NULL CHECK (subject NOT IN ('', 'user', alias)),
    made_at timestamptz NOT NULL,
    -- Ids of the evidence that stood under the alias: to part the two again.
    evidence jsonb NOT NULL CHECK (jsonb_typeof(evidence) = 'array'),
    PRIMARY KEY (user_id, id)
);
-- A name means one person. Read whole when statements are taken in.
CREATE UNIQUE INDEX memoryapp_subjectalias_alias ON memoryapp_subjectalias (user_id, alias);
ALTER TABLE memoryapp_subjectalias ALTER COLUMN alias SET STATISTICS 0;
ALTER TABLE memoryapp_subjectalias ALTER COLUMN subject SET STATISTICS 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_subjectalias TO {app};
ALTER TABLE memoryapp_subjectalias ENABLE ROW LEVEL SECURITY;
ALTER TABLE memoryapp_subjectalias FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memoryapp_subjectalias
    USING (user_id = nullif(current_setting('app.user_id', true), '')::uuid)
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY auditor_reads ON memoryapp_subjectalias FOR SELECT
    USING ((SELECT memoryapp_is_auditor()));
