-- What stood before each of the facts that are shown: the replaced values of its key (a key
-- with several values keeps the past of each value apart), and what those had replaced, step
-- by step. Rows: the fact that is shown, and one of its past.
WITH RECURSIVE shown AS MATERIALIZED (
    SELECT id, subject, attribute, scope, single, value_key
    FROM memoryapp_fact
    WHERE user_id = %(user_id)s::uuid AND id = ANY (%(ids)s::uuid[])
),
replaced AS MATERIALIZED (
    SELECT id, subject, attribute, scope, value_key, superseded_by_id
    FROM memoryapp_fact
    WHERE user_id = %(user_id)s::uuid AND status = ANY (%(past)s::text[]) AND operation = 'state'
),
walked AS (
    SELECT id AS shown, id FROM shown
    UNION
    SELECT s.id, r.id
    FROM shown s
    JOIN replaced r ON r.subject = s.subject AND r.attribute = s.attribute AND r.scope = s.scope
        AND (s.single OR r.value_key = s.value_key)
    UNION
    SELECT w.shown, r.id FROM walked w JOIN replaced r ON r.superseded_by_id = w.id
)
SELECT shown, id FROM walked WHERE id <> ALL (%(ids)s::uuid[])
