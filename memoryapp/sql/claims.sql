-- Facts near an answer's claims, whatever became of them: those that share the claims' words,
-- those near in meaning, and the whole timelines of both.
WITH asked AS (
    SELECT
        nullif(replace(plainto_tsquery('english', a.text)::text, '&', '|'), '')::tsquery AS words,
        a.vector::halfvec AS vector,
        a.claim
    FROM unnest(%(texts)s::text[], %(vectors)s::text[]) WITH ORDINALITY AS a (text, vector, claim)
),
held AS MATERIALIZED (
    SELECT f.id, f.subject, f.attribute, f.scope, f.single, f.value_key, f.search, e.embedding
    FROM memoryapp_fact f
    LEFT JOIN memoryapp_factembedding e
        ON e.user_id = %(user_id)s::uuid AND e.fact_id = f.id AND e.model = %(model)s
    WHERE f.user_id = %(user_id)s::uuid
        AND f.operation = 'state'
        AND f.importance > 0
        AND f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
),
near AS (
    SELECT asked.claim, best.id, best.place
    FROM asked
    CROSS JOIN LATERAL (
        (SELECT h.id, row_number() OVER (ORDER BY ts_rank(h.search, asked.words) DESC, h.id) AS place
        FROM held h WHERE h.search @@ asked.words
        ORDER BY place LIMIT %(depth)s)
        UNION ALL
        (SELECT h.id, row_number() OVER (ORDER BY h.embedding <=> asked.vector, h.id) AS place
        FROM held h WHERE h.embedding IS NOT NULL AND asked.vector IS NOT NULL
        ORDER BY place LIMIT %(depth)s)
    ) AS best
),
keys AS (
    SELECT DISTINCT h.subject, h.attribute, h.scope, CASE WHEN h.single THEN '' ELSE h.value_key END AS value_key
    FROM near JOIN held h USING (id)
)
SELECT
    f.id, f.subject, f.attribute, f.scope, f.value, f.polarity, f.statement, f.kind, f.single,
    f.status, f.valid_from, f.valid_to, f.precision, f.retired_at IS NOT NULL AS retired,
    f.superseded_by_id AS heir, f.pinned, f.expires_at,
    coalesce(claims.near, '{}') AS near,
    proof.items AS proof
FROM keys
JOIN held h ON h.subject = keys.subject AND h.attribute = keys.attribute AND h.scope = keys.scope
    AND keys.value_key = CASE WHEN h.single THEN '' ELSE h.value_key END
JOIN memoryapp_fact f ON f.user_id = %(user_id)s::uuid AND f.id = h.id
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(n.claim, n.place) AS near
    FROM (SELECT claim, min(place) AS place FROM near WHERE near.id = h.id GROUP BY claim) AS n
) AS claims
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('quote', q.quote, 'sent_at', q.sent_at)
        ORDER BY q.sent_at DESC), '[]') AS items
    FROM (
        SELECT e.quote, e.sent_at FROM memoryapp_evidence e
        WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = f.id AND e.quote <> ''
        ORDER BY e.sent_at DESC, e.id DESC
        LIMIT 3
    ) AS q
) AS proof
ORDER BY f.valid_from DESC, f.id
LIMIT %(most)s
