-- Which answers used which facts, what the user's hand has changed so that it can be undone,
-- and whether the user chose when a fact runs out. {app} is the application's role.

-- Ids, times and words of ours.
CREATE TABLE memoryapp_memoryuse (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    fact_id uuid NOT NULL,
    at timestamptz NOT NULL,
    application_id uuid,
    via varchar(10) NOT NULL
        CHECK (via IN ('recall', 'context', 'chat', 'mcp', 'try', 'check')),
    conversation_id uuid,
    message_id uuid,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, fact_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, conversation_id)
        REFERENCES memoryapp_conversation (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, message_id)
        REFERENCES memoryapp_message (user_id, id) ON DELETE CASCADE
);
-- A fact's uses, newest first, their count and their applications; and the fact's ON DELETE.
CREATE INDEX memoryapp_memoryuse_fact
    ON memoryapp_memoryuse (user_id, fact_id, at) INCLUDE (application_id);
-- What is old enough to go.
CREATE INDEX memoryapp_memoryuse_at ON memoryapp_memoryuse (user_id, at);
-- What goes with a conversation or a message, and what is noted already.
CREATE INDEX memoryapp_memoryuse_conversation
    ON memoryapp_memoryuse (user_id, conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX memoryapp_memoryuse_message
    ON memoryapp_memoryuse (user_id, message_id) WHERE message_id IS NOT NULL;

-- `before` is what the act changed in the fact's own row: it goes with the row.
CREATE TABLE memoryapp_handact (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    act uuid NOT NULL,
    fact_id uuid NOT NULL,
    kind varchar(12) NOT NULL CHECK (kind IN ('edit', 'weigh', 'approve', 'reject')),
    actor varchar(120) NOT NULL,
    at timestamptz NOT NULL,
    before jsonb NOT NULL,
    undone_at timestamptz,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, fact_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE
);
ALTER TABLE memoryapp_handact ALTER COLUMN before SET STATISTICS 0;
-- All that one act has done, to undo it.
CREATE INDEX memoryapp_handact_act ON memoryapp_handact (user_id, act);
-- A fact's latest act, and the fact's ON DELETE.
CREATE INDEX memoryapp_handact_fact ON memoryapp_handact (user_id, fact_id, at);
-- What is old enough to go.
CREATE INDEX memoryapp_handact_at ON memoryapp_handact (user_id, at);

ALTER TABLE memoryapp_fact ADD COLUMN expiry_chosen boolean NOT NULL DEFAULT false;
ALTER TABLE memoryapp_fact ALTER COLUMN expiry_chosen DROP DEFAULT;

GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_memoryuse, memoryapp_handact TO {app};
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['memoryapp_memoryuse', 'memoryapp_handact'] LOOP
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
    END LOOP;
END $$;
