-- Current facts of the same subject under other keys: those with the very value, and those near
-- in meaning (exact search over one user's rows).
SELECT f.id, f.attribute, f.scope, f.value, f.value_key, f.polarity, f.kind, f.statement,
    f.last_stated_at, coalesce(near.cosine, 0)
FROM memoryapp_fact f
LEFT JOIN memoryapp_factembedding e
    ON e.user_id = %(user_id)s::uuid AND e.fact_id = f.id AND e.model = %(model)s
CROSS JOIN LATERAL (
    SELECT nullif(1 - (e.embedding <=> %(vector)s::halfvec), 'NaN') AS cosine
) AS near
WHERE f.user_id = %(user_id)s::uuid
    AND f.status = 'current'
    AND f.operation = 'state'
    AND f.subject = %(subject)s
    AND f.attribute <> %(attribute)s
    AND (f.value_key = %(value_key)s OR near.cosine >= %(near)s::float8)
ORDER BY f.value_key = %(value_key)s DESC, near.cosine DESC NULLS LAST, f.id
LIMIT %(limit)s
