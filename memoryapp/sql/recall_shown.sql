-- What is shown of recalled facts: as they stand, or stood at `known_at`, with their proof, what
-- they replaced, and whether a link may lead on from them. In no order.
SELECT
    f.id, f.subject, f.attribute, f.scope, f.value, f.polarity, f.statement, f.kind,
    f.confidence, f.importance,
    CASE WHEN view.open THEN 'current' ELSE f.status END AS status,
    f.valid_from,
    CASE WHEN f.closed_at > %(known_at)s::timestamptz THEN NULL ELSE f.valid_to END AS valid_to,
    f.precision, f.recorded_at,
    CASE WHEN f.retired_at > %(known_at)s::timestamptz THEN NULL ELSE f.retired_at END AS retired_at,
    CASE WHEN view.open THEN NULL ELSE f.superseded_by_id END AS superseded_by,
    f.expires_at,
    f.pinned,
    proof.items AS evidence,
    earlier.items AS chain,
    EXISTS (SELECT FROM memoryapp_factlink l
        WHERE l.user_id = %(user_id)s::uuid AND l.source_id = f.id)
        OR EXISTS (SELECT FROM memoryapp_factlink l
        WHERE l.user_id = %(user_id)s::uuid AND l.target_id = f.id) AS linked
FROM memoryapp_fact f
CROSS JOIN LATERAL (
    -- At `known_at` nothing had ended or replaced the row yet.
    SELECT coalesce(f.closed_at > %(known_at)s::timestamptz, false)
        OR coalesce(f.retired_at > %(known_at)s::timestamptz, false) AS open
) AS view
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'quote', q.quote, 'sent_at', q.sent_at, 'conversation', coalesce(q.external_id, '')
    ) ORDER BY q.sent_at DESC), '[]') AS items
    FROM (
        SELECT e.quote, e.sent_at, c.external_id
        FROM memoryapp_evidence e
        LEFT JOIN memoryapp_conversation c
            ON c.user_id = %(user_id)s::uuid AND c.id = e.conversation_id
        WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = f.id
            -- What the user changed by hand on the page carries no quotation.
            AND e.quote <> ''
            AND (%(known_at)s::timestamptz IS NULL OR e.recorded_at <= %(known_at)s::timestamptz)
        ORDER BY e.sent_at DESC, e.id DESC
        LIMIT 10
    ) AS q
) AS proof
CROSS JOIN LATERAL (
    WITH RECURSIVE replaced AS (
        SELECT p.id, p.value, p.statement, p.valid_from, p.valid_to, p.supersession,
            p.operation, p.recorded_at
        FROM memoryapp_fact p
        WHERE p.user_id = %(user_id)s::uuid AND p.superseded_by_id = f.id
        UNION
        SELECT p.id, p.value, p.statement, p.valid_from, p.valid_to, p.supersession,
            p.operation, p.recorded_at
        FROM replaced r
        JOIN memoryapp_fact p ON p.user_id = %(user_id)s::uuid AND p.superseded_by_id = r.id
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', q.id, 'value', q.value, 'statement', q.statement, 'valid_from', q.valid_from,
        'valid_to', q.valid_to, 'supersession', q.supersession
    ) ORDER BY q.valid_from DESC, q.recorded_at DESC), '[]') AS items
    FROM (
        SELECT r.* FROM replaced r
        WHERE r.operation = 'state'
            AND (%(known_at)s::timestamptz IS NULL OR r.recorded_at <= %(known_at)s::timestamptz)
        ORDER BY r.valid_from DESC, r.recorded_at DESC
        LIMIT 10
    ) AS q
) AS earlier
WHERE f.user_id = %(user_id)s::uuid AND f.id = ANY (%(ids)s::uuid[])
