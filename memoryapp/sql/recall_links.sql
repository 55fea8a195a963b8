-- The facts that hang together with recalled ones: along the links, either way, and through what
-- replaced what, which chains tell; the nearest first, each fact once, 20 of each at most.
SELECT start.id AS start, related.items
FROM unnest(%(ids)s::uuid[]) AS start (id)
CROSS JOIN LATERAL (
    WITH RECURSIVE walked AS (
        SELECT start.id, ''::text AS kind, 0 AS depth
        UNION
        SELECT step.id, step.kind, w.depth + 1
        FROM walked w
        CROSS JOIN LATERAL (
            SELECT l.target_id AS id, l.kind::text AS kind
            FROM memoryapp_factlink l
            WHERE l.user_id = %(user_id)s::uuid AND l.source_id = w.id
            UNION ALL
            SELECT l.source_id, CASE l.kind WHEN 'contradicts' THEN 'contradicts' ELSE 'leads_to' END
            FROM memoryapp_factlink l
            WHERE l.user_id = %(user_id)s::uuid AND l.target_id = w.id
            UNION ALL
            SELECT p.id, 'replaced'
            FROM memoryapp_fact p
            WHERE p.user_id = %(user_id)s::uuid AND p.superseded_by_id = w.id
        ) AS step
        WHERE w.depth < %(links)s
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', q.id, 'kind', q.kind, 'depth', q.depth, 'statement', q.statement,
        'status', q.status, 'valid_from', q.valid_from, 'valid_to', q.valid_to
    ) ORDER BY q.depth, q.id), '[]') AS items
    FROM (
        SELECT DISTINCT ON (w.id) w.id, w.kind, w.depth, g.statement, g.status, g.valid_from,
            g.valid_to
        FROM walked w
        JOIN memoryapp_fact g ON g.user_id = %(user_id)s::uuid AND g.id = w.id
        WHERE w.id <> start.id AND w.kind <> 'replaced'
            AND g.operation = 'state' AND g.status NOT IN ('pending', 'rejected')
            AND (%(known_at)s::timestamptz IS NULL OR g.recorded_at <= %(known_at)s::timestamptz)
        ORDER BY w.id, w.depth
        LIMIT 20
    ) AS q
) AS related
