-- Recall: the user's facts that matter for a question, best first, each with its proof and its
-- chain (DESIGN section 6). Exact search over one user's rows, in one statement.
--
-- asked:       the question's words, joined by OR (FINDINGS: AND finds a quarter as much)
-- measured:    every row in question, with its cosine to the question and its text rank
-- candidates:  the best of either list
-- fused:       their two measures, each from 0 to 1
-- scored:      the score, and the support that is held against the floor
-- best:        the k rows that go out
WITH asked AS (
    SELECT
        -- A cast and no second to_tsquery: words are stemmed once.
        nullif(replace(plainto_tsquery('english', %(text)s)::text, '&', '|'), '')::tsquery AS words,
        tsvector_to_array(to_tsvector('english', %(text)s)) AS lexemes,
        %(vector)s::halfvec AS vector
),
measured AS MATERIALIZED (
    SELECT
        f.id, f.attribute, f.kind, f.confidence, f.importance, f.last_stated_at,
        nullif(1 - (e.embedding <=> asked.vector), 'NaN') AS cosine,
        coalesce(ts_rank(f.search, asked.words), 0) AS rank,
        -- The share of the question's words that the row holds (unnest() is 50 times slower).
        (length(f.search) - length(ts_delete(f.search, asked.lexemes)))::float8
            / greatest(cardinality(asked.lexemes), 1) AS coverage
    FROM asked
    CROSS JOIN memoryapp_fact f
    LEFT JOIN memoryapp_factembedding e
        ON e.user_id = %(user_id)s::uuid AND e.fact_id = f.id
        AND e.model = %(model)s AND e.dimension = %(dimension)s
    WHERE f.user_id = %(user_id)s::uuid
        AND f.operation = 'state'
        AND f.importance > 0
        AND (%(kinds)s::text[] IS NULL OR f.kind = ANY (%(kinds)s::text[]))
        AND (%(scopes)s::text[] IS NULL OR f.scope = ANY (%(scopes)s::text[]))
        AND (%(subjects)s::text[] IS NULL OR f.subject = ANY (%(subjects)s::text[]))
        AND CASE
            WHEN %(as_of)s::timestamptz IS NULL AND %(known_at)s::timestamptz IS NULL THEN
                -- The present. A row past its time is out before the nightly run marks it.
                f.status = 'current'
                AND (f.pinned OR f.expires_at IS NULL OR f.expires_at > %(now)s::timestamptz)
                AND (f.kind = 'event' OR f.valid_to IS NULL OR f.valid_to > %(now)s::timestamptz)
            WHEN %(known_at)s::timestamptz IS NULL THEN
                -- What was so then, as is known today.
                f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
                AND f.retired_at IS NULL
                AND f.valid_from <= %(as_of)s::timestamptz
                AND (f.valid_to IS NULL OR f.valid_to > %(as_of)s::timestamptz)
            ELSE
                -- What was believed then: later endings and corrections are not known yet.
                f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
                AND f.recorded_at <= %(known_at)s::timestamptz
                AND (f.retired_at IS NULL OR f.retired_at > %(known_at)s::timestamptz)
                AND (%(as_of)s::timestamptz IS NULL OR f.valid_from <= %(as_of)s::timestamptz)
                AND (f.valid_to IS NULL OR f.closed_at > %(known_at)s::timestamptz
                    OR f.valid_to > coalesce(%(as_of)s::timestamptz, %(known_at)s::timestamptz)
                    OR (f.kind = 'event' AND %(as_of)s::timestamptz IS NULL))
                AND (%(as_of)s::timestamptz IS NOT NULL OR f.pinned OR f.expires_at IS NULL
                    OR f.expires_at > %(known_at)s::timestamptz)
        END
),
candidates AS (
    (SELECT id FROM measured WHERE cosine IS NOT NULL ORDER BY cosine DESC, id LIMIT %(depth)s)
    UNION
    (SELECT id FROM measured WHERE rank > 0 ORDER BY rank DESC, id LIMIT %(depth)s)
),
fused AS (
    SELECT
        m.*,
        least(1, greatest(0, (coalesce(m.cosine, %(low)s::float8) - %(low)s::float8)
            / (%(high)s::float8 - %(low)s::float8))) AS vector,
        coalesce(m.rank / top.rank, 0) AS text
    FROM measured m
    JOIN candidates USING (id)
    CROSS JOIN (SELECT nullif(max(rank), 0) AS rank FROM measured) AS top
),
scored AS (
    SELECT
        d.id, d.vector, d.text, r.relevance, r.support, age.age_days, age.stickiness, t.recency,
        ((1 - %(time_weight)s::float8) * r.relevance + %(time_weight)s::float8 * t.recency)
            * d.confidence * d.importance AS score
    FROM fused d
    LEFT JOIN memoryapp_attribute a ON a.key = d.attribute
    LEFT JOIN memoryapp_factusage u ON u.user_id = %(user_id)s::uuid AND u.fact_id = d.id
    CROSS JOIN LATERAL (
        SELECT
            -- A row that the active model hasn't embedded yet is found by its text alone.
            CASE WHEN d.cosine IS NULL THEN d.text
                ELSE %(weight)s::float8 * d.vector + (1 - %(weight)s::float8) * d.text
                END AS relevance,
            -- The text rank above is relative to the best row, which may be a poor one; the
            -- coverage isn't. Without a vector half of the words are enough, a third isn't.
            CASE WHEN d.cosine IS NULL THEN 2 * d.coverage / (1 + d.coverage)
                ELSE 1 - (1 - d.vector) * (1 - d.coverage / 2) END AS support
    ) AS r
    CROSS JOIN LATERAL (
        SELECT
            greatest(0, extract(epoch FROM
                coalesce(%(as_of)s::timestamptz, %(known_at)s::timestamptz, %(now)s::timestamptz)
                - d.last_stated_at) / 86400)::float8 AS age_days,
            1 + ln(1 + coalesce(u.recall_count, 0))::float8 AS stickiness,
            coalesce(%(half_life_days)s::float8, a.half_life_days,
                (%(half_lives)s::jsonb ->> d.kind)::float8) AS half_life_days
    ) AS age
    CROSS JOIN LATERAL (
        SELECT CASE WHEN age.half_life_days IS NULL THEN 1
            -- Far out 0.5 ^ x would underflow.
            ELSE 0.5 ^ least(1000, age.age_days / age.stickiness / age.half_life_days)
            END AS recency
    ) AS t
),
best AS (
    SELECT s.* FROM scored s
    WHERE s.support >= %(floor)s::float8
    ORDER BY s.score DESC, s.relevance DESC, s.id DESC
    LIMIT %(k)s
)
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
    b.score, b.vector, b.text, b.relevance, b.support, b.recency, b.age_days, b.stickiness,
    proof.items AS evidence,
    earlier.items AS chain
FROM best b
JOIN memoryapp_fact f ON f.user_id = %(user_id)s::uuid AND f.id = b.id
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
        WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = b.id
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
        WHERE p.user_id = %(user_id)s::uuid AND p.superseded_by_id = b.id
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
ORDER BY b.score DESC, b.relevance DESC, b.id DESC
