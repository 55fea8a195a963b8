-- When something of the user's own life was, as their dated facts tell it: the facts that hold
-- most of the clause's words, and those of the attributes that the clause is about.
WITH asked AS MATERIALIZED (
    SELECT tsvector_to_array(memoryapp_terms(%(text)s)) AS lexemes
)
SELECT f.attribute, f.valid_from, f.valid_to, f.status,
    (length(f.search) - length(ts_delete(f.search, asked.lexemes)))::float8
        / greatest(cardinality(asked.lexemes), 1) AS coverage,
    EXISTS (SELECT FROM memoryapp_fact p
        WHERE p.user_id = %(user_id)s::uuid AND p.superseded_by_id = f.id
            AND p.operation = 'state' AND p.supersession = 'change') AS began_by_change
FROM asked
CROSS JOIN memoryapp_fact f
WHERE f.user_id = %(user_id)s::uuid
    AND f.operation = 'state'
    AND f.subject = 'user'
    AND f.retired_at IS NULL
    AND f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
    AND (f.attribute = ANY (%(attributes)s::text[])
        OR length(f.search) > length(ts_delete(f.search, asked.lexemes)))
