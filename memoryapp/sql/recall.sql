-- Recall: the user's facts that may matter for a question, best first, with what their scores
-- are made of (DESIGN section 6). Exact search over one user's rows. recall_shown.sql then
-- fetches what is shown of those that go out.
--
-- asked:       the question's words, joined by OR (FINDINGS: AND finds a quarter as much)
-- measured:    every row in question, with its cosine to the question and its text rank
-- candidates:  the best of either list, and what stands under the attributes asked about
-- kin:         who the question is about, when it names somebody by what they are to the user
-- fused:       their measures, each from 0 to 1
-- scored:      the support that is held against the floor, and the score
WITH spelled AS MATERIALIZED (
    SELECT tsvector_to_array(memoryapp_terms(%(text)s)) AS lexemes,
        tsvector_to_array(memoryapp_terms(%(others)s)) AS others
),
asked AS MATERIALIZED (
    SELECT
        -- A cast and no second to_tsquery: words are stemmed once.
        nullif((SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')
            FROM unnest(s.lexemes) AS lexeme), '')::tsquery AS words,
        s.lexemes, s.others, %(vector)s::halfvec AS vector
    FROM spelled s
),
measured AS MATERIALIZED (
    SELECT
        f.id, f.subject, f.attribute, f.value, f.kind, f.confidence, f.last_stated_at,
        -- What the user chose; a pin says that it matters.
        coalesce(f.chosen_importance, CASE WHEN f.pinned THEN 1 ELSE f.importance END) AS importance,
        nullif(1 - (e.embedding <=> asked.vector), 'NaN') AS cosine,
        coalesce(ts_rank(f.search, asked.words), 0) AS rank,
        -- The share of the question's words that the row holds (unnest() is 50 times slower).
        (length(f.search) - length(ts_delete(f.search, asked.lexemes)))::float8
            / greatest(cardinality(asked.lexemes), 1) AS coverage,
        CASE WHEN cardinality(asked.others) = 0 THEN NULL
            ELSE length(f.search) > length(ts_delete(f.search, asked.others)) END AS says_other,
        -- It held, or was spoken of, at the time that the question names.
        %(during_from)s::timestamptz IS NOT NULL AND (
            (f.valid_from < %(during_to)s::timestamptz
                AND (f.valid_to IS NULL OR f.valid_to > %(during_from)s::timestamptz))
            OR (f.last_stated_at >= %(during_from)s::timestamptz
                AND f.last_stated_at < %(during_to)s::timestamptz)) AS during
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
        AND (%(attributes)s::text[] IS NULL OR f.attribute = ANY (%(attributes)s::text[]))
        AND (%(since)s::timestamptz IS NULL
            OR f.valid_to IS NULL OR f.valid_to > %(since)s::timestamptz)
        AND (%(until)s::timestamptz IS NULL OR f.valid_from < %(until)s::timestamptz)
        AND CASE
            WHEN %(as_of)s::timestamptz IS NULL AND %(known_at)s::timestamptz IS NULL THEN
                -- The present. A row past its time is out before the nightly run marks it.
                (f.status = 'current'
                AND (f.pinned OR f.expires_at IS NULL OR f.expires_at > %(now)s::timestamptz)
                AND (f.kind = 'event' OR f.valid_to IS NULL OR f.valid_to > %(now)s::timestamptz))
                -- And what held at the time named, if one is.
                OR (%(during_from)s::timestamptz IS NOT NULL
                AND f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
                AND f.retired_at IS NULL
                AND f.valid_from < %(during_to)s::timestamptz
                AND (f.valid_to IS NULL OR f.valid_to > %(during_from)s::timestamptz))
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
    UNION
    (SELECT id FROM measured
    WHERE cosine IS NOT NULL AND attribute = ANY ((%(keys)s::text[])[1:5])
    ORDER BY cosine DESC, id LIMIT %(depth)s)
),
kin AS (
    SELECT subject FROM measured WHERE says_other AND attribute = 'relation'
    UNION
    SELECT 'person:' || replace(lower(value), ' ', '-') FROM measured
    WHERE says_other IS NOT NULL AND attribute = ANY (%(relations)s::text[])
),
fused AS (
    SELECT
        m.*,
        least(1, greatest(0, (coalesce(m.cosine, %(low)s::float8) - %(low)s::float8)
            / (%(high)s::float8 - %(low)s::float8))) AS vector,
        coalesce(m.rank / top.rank, 0) AS text,
        known.near AS near,
        CASE
            -- Somebody else is asked about: a row that isn't about them hardly answers.
            WHEN m.says_other IS NOT NULL THEN CASE
                WHEN m.says_other OR m.attribute = ANY (%(relations)s::text[])
                    OR m.subject IN (SELECT subject FROM kin) THEN 1 ELSE 0.3 END
            -- Nobody is named: the user is meant.
            WHEN m.subject LIKE 'person:%%' AND %(subjects)s::text[] IS NULL THEN 0.6
            ELSE 1 END
            -- Another attribute is asked for by its name.
            * CASE WHEN cardinality(%(named)s::text[]) > 0
                AND m.attribute <> ALL (%(named)s::text[]) THEN 0.5 ELSE 1 END AS about
    FROM measured m
    JOIN candidates USING (id)
    CROSS JOIN (SELECT nullif(max(rank), 0) AS rank FROM measured) AS top
    LEFT JOIN unnest(%(keys)s::text[], %(nearness)s::float8[]) AS known (attribute, near)
        ON known.attribute = m.attribute
),
scored AS (
    SELECT
        d.id, d.cosine, d.vector, d.text, d.coverage, d.near, d.about, d.during, d.confidence,
        d.importance, r.relevance, s.support, age.age_days, age.stickiness, t.recency,
        ((1 - %(time_weight)s::float8) * least(1, r.relevance + CASE WHEN d.during
                THEN %(during_bonus)s::float8 ELSE 0 END)
            + %(time_weight)s::float8 * t.recency) * d.confidence * d.importance AS score
    FROM fused d
    LEFT JOIN memoryapp_attribute a ON a.key = d.attribute
    LEFT JOIN memoryapp_factusage u ON u.user_id = %(user_id)s::uuid AND u.fact_id = d.id
    CROSS JOIN LATERAL (
        -- How sure it is that the row is about the question: memoryapp/recall.py has the
        -- figures. Without a vector half of the words are enough, a third isn't. An open
        -- attribute is as near as its statement.
        SELECT d.about * CASE
            WHEN d.cosine IS NULL THEN d.coverage
            ELSE 1 / (1 + exp(-(%(constant)s::float8
                + %(by_vector)s::float8 * d.vector
                + %(by_words)s::float8 * d.coverage
                + %(by_attribute)s::float8 * coalesce(d.near, d.vector)
                + %(by_gap)s::float8 * greatest(0, %(nearest)s::float8 - coalesce(d.near, d.vector))
            ))) END AS support
    ) AS s
    CROSS JOIN LATERAL (
        -- A row that the active model hasn't embedded yet is found by its text alone.
        SELECT CASE WHEN d.cosine IS NULL THEN d.text
            ELSE %(fused)s::float8
                    * (%(weight)s::float8 * d.vector + (1 - %(weight)s::float8) * d.text)
                + (1 - %(fused)s::float8) * s.support END AS relevance
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
)
SELECT
    s.id, s.score, s.vector, s.text, s.coverage, coalesce(s.near, 0) AS attribute, s.about,
    s.during, s.relevance, s.support, s.recency, s.confidence, s.importance, s.age_days,
    s.stickiness
FROM scored s
WHERE s.support >= %(floor)s::float8
ORDER BY s.score DESC, s.relevance DESC, s.id DESC
LIMIT %(most)s
